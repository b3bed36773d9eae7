import type { Instant } from '../base/clock.ts';
import type { Backoff } from './backoff.ts';
import type { ChildSpec, ChildType } from './child.ts';
import type { Exit } from './exit.ts';
import type { RestartHistory } from './restart-tracker.ts';
import type { Intensity } from './restart-window.ts';
import type { Strategy } from './restart-strategy.ts';

/** Whether the supervisor ends when a significant child has ended of its own accord: never, after any, after the last. */
export type AutoShutdown = 'never' | 'any-significant' | 'all-significant';

export type SupervisorSpec = {
  /** Default: one-for-one. */
  readonly strategy?: Strategy;
  /** Default: one restart in five seconds, as in OTP. */
  readonly intensity?: Intensity;
  /** Default: never. */
  readonly autoShutdown?: AutoShutdown;
  /** In start order. Default: none. */
  readonly children?: readonly ChildSpec[];

  /** Waits between restarts. Default: none, as in OTP. */
  readonly backoff?: Backoff;
  /** The restarts of an earlier life of this supervisor, which still count. */
  readonly history?: RestartHistory;
};

export const DEFAULT_INTENSITY: Intensity = { restartsMax: 1, withinMs: 5000 };

/** Where a child is between two messages: up, down with its spec kept, or down and to be tried again. */
export type ChildStatus = 'running' | 'absent' | 'restarting';

export type ChildView = {
  readonly id: string;
  readonly standing: ChildStatus;
  readonly type: ChildType;
};

export type ChildCounts = {
  readonly specs: number;
  readonly active: number;
  readonly workers: number;
  readonly supervisors: number;
};

/** What a supervisor did and saw, in the order in which it happened. */
export type SupervisionEvent =
  | { readonly kind: 'started' | 'ignored'; readonly id: string }
  | { readonly kind: 'start-failed'; readonly id: string; readonly reason: string }
  /** It ended by itself. */
  | { readonly kind: 'exited'; readonly id: string; readonly exit: Exit }
  /** It was asked to end and did. */
  | { readonly kind: 'stopped'; readonly id: string; readonly exit: Exit }
  /** It was killed by us: at once, or because it did not obey in time. */
  | { readonly kind: 'killed'; readonly id: string; readonly asked: boolean }
  /** It was killed, and is still there. */
  | { readonly kind: 'unstopped'; readonly id: string }
  /** A restart was counted and is carried out after the delay. Told before it is: time to write the history down. */
  | {
      readonly kind: 'restarting';
      readonly id: string;
      readonly at: Instant;
      readonly delayMs: number;
    }
  /** Its own window is full; it stays down. */
  | { readonly kind: 'gave-up'; readonly id: string }
  | { readonly kind: 'reverted'; readonly id: string }
  /** A hook of its spec failed. */
  | {
      readonly kind: 'keep-failed' | 'revert-failed';
      readonly id: string;
      readonly reason: string;
    };

export type SupervisorEnd = {
  readonly exit: Exit;
  readonly why: 'stopped' | 'killed' | 'too-many-restarts' | 'auto-shutdown' | 'revert-failed';
  /** Those that were killed and were still there when it ended. */
  readonly unstopped: readonly string[];
};
