/** A child as its supervisor sees it: a spec to start it by, and a handle while it lives. */
import type { Backoff } from './backoff.ts';
import type { Exit } from './exit.ts';
import type { Intensity } from './restart-window.ts';

/** Whether a child that ended is to be started again: always, after a failure only, or never. */
export type Restart = 'permanent' | 'transient' | 'temporary';

/** Milliseconds to obey in before it is killed; or killed at once; or waited for as long as it takes. */
export type Shutdown = number | 'brutal-kill' | 'infinity';

export type ChildType = 'worker' | 'supervisor';

/** One life of a child. */
export interface ChildHandle {
  /** Resolves once, when it has ended and holds nothing any more. Never rejects. */
  readonly exit: Promise<Exit>;
  /** Asks it to end; it may take its time, or not listen. */
  ask(): void;
  /** Ends it whether it listens or not. */
  kill(): void;
}

export type StartResult =
  | {
      readonly kind: 'started';
      readonly child: ChildHandle;
      /** The content hashes of what this life produces, by name. */
      readonly produced?: Readonly<Record<string, string>>;
    }
  /** There is nothing to do for it now; the spec stays, unless it is temporary. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'failed'; readonly reason: string };

export type ChildSpec = {
  readonly id: string;
  /** Resolves once the child is up. A rejection is a failed start. The signal says: give up, we are killed. */
  readonly start: (signal: AbortSignal) => Promise<StartResult>;
  /** Default: permanent. */
  readonly restart?: Restart;
  /** Default: 5000 for a worker, infinity for a supervisor. */
  readonly shutdown?: Shutdown;
  /** Default: worker. */
  readonly type?: ChildType;
  /** Its end of its own accord may end the supervisor: see `autoShutdown`. Default: false. */
  readonly significant?: boolean;

  /** Its own window beside the supervisor's. Full, it ends the supervisor, or this child stays down. Default: none. */
  readonly intensity?: Intensity & { readonly whenFull?: 'escalate' | 'leave' };
  /** Instead of the supervisor's. */
  readonly backoff?: Backoff;
  /** Names of what it is made from; when the content of one changes, it is restarted. */
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  /** After each failure, under every strategy, before anything else: keeps what helps to find out why. */
  readonly keep?: (exit: Exit) => Promise<void>;
  /** Under the strategy revert: brings back what was before it existed. */
  readonly revert?: (exit: Exit) => Promise<void>;
};

const WORKER_SHUTDOWN_MS = 5000;

export function restartOf(spec: ChildSpec): Restart {
  return spec.restart ?? 'permanent';
}

export function shutdownOf(spec: Pick<ChildSpec, 'shutdown' | 'type'>): Shutdown {
  return spec.shutdown ?? (spec.type === 'supervisor' ? 'infinity' : WORKER_SHUTDOWN_MS);
}
