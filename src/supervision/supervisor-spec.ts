import type { Instant } from '../base/clock.ts';
import type { Backoff } from './backoff.ts';
import type { ChildSpec, ChildType } from './child.ts';
import type { Exit } from './exit.ts';
import type { RestartHistory } from './restart-tracker.ts';
import type { Intensity } from './restart-window.ts';
import type { Strategy } from './restart-strategy.ts';

/** Whether the supervisor ends when a significant child has exited by itself: never, after any, after the last. */
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

/** A child between two messages: up, down with its spec kept, or down with a restart pending. */
export type ChildStatus = 'running' | 'absent' | 'restarting';

export type ChildView = {
  readonly id: string;
  readonly status: ChildStatus;
  readonly type: ChildType;
};

export type ChildCounts = {
  readonly specs: number;
  readonly active: number;
  readonly workers: number;
  readonly supervisors: number;
};

/** What a supervisor did and observed, in order. */
export type SupervisionEvent =
  | { readonly kind: 'started' | 'ignored'; readonly id: string }
  | { readonly kind: 'start-failed'; readonly id: string; readonly reason: string }
  /** The child exited by itself. */
  | { readonly kind: 'exited'; readonly id: string; readonly exit: Exit }
  /** The child was asked to exit and did. */
  | { readonly kind: 'stopped'; readonly id: string; readonly exit: Exit }
  /** The supervisor killed the child: at once, or because it did not exit in time. */
  | { readonly kind: 'killed'; readonly id: string; readonly asked: boolean }
  /** The child was killed and still runs. */
  | { readonly kind: 'unstopped'; readonly id: string }
  /** A restart was counted and follows after the delay. It is reported first, so that the history can be stored. */
  | {
      readonly kind: 'restarting';
      readonly id: string;
      readonly at: Instant;
      readonly delayMs: number;
    }
  /** The child's own window is full; it stays down. */
  | { readonly kind: 'gave-up'; readonly id: string }
  | { readonly kind: 'reverted'; readonly id: string }
  /** A hook of the child's spec failed. */
  | {
      readonly kind: 'keep-failed' | 'revert-failed';
      readonly id: string;
      readonly reason: string;
    };

export type SupervisorEnd = {
  readonly exit: Exit;
  readonly why: 'stopped' | 'killed' | 'too-many-restarts' | 'auto-shutdown' | 'revert-failed';
  /** Children that were killed and still ran when the supervisor ended. */
  readonly unstopped: readonly string[];
};
