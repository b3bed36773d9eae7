/** A child as its supervisor sees it: a spec to start it, and a handle while it runs. */
import type { Backoff } from './backoff.ts';
import type { Exit } from './exit.ts';
import type { Intensity } from './restart-window.ts';

/** Whether a child that exited is restarted: always, only after a failure, or never. */
export type Restart = 'permanent' | 'transient' | 'temporary';

/** Milliseconds until a child that was asked to exit is killed; or kill it at once; or wait without a bound. */
export type Shutdown = number | 'brutal-kill' | 'infinity';

export type ChildType = 'worker' | 'supervisor';

/** One life of a child. */
export interface ChildHandle {
  /** Resolves once, when the child has exited and holds no resources. Never rejects. */
  readonly exit: Promise<Exit>;
  /** Asks the child to exit. It may take its time, or ignore the request. */
  ask(): void;
  /** Ends the child without its cooperation. */
  kill(): void;
}

export type StartResult =
  | {
      readonly kind: 'started';
      readonly child: ChildHandle;
      /** The content hashes of what this life produces, by name. */
      readonly produced?: Readonly<Record<string, string>>;
    }
  /** The child has nothing to do now. Its spec is kept, unless it is temporary. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'failed'; readonly reason: string };

export type ChildSpec = {
  readonly id: string;
  /** Resolves once the child is up. A rejection is a failed start. The signal aborts when the supervisor is killed. */
  readonly start: (signal: AbortSignal) => Promise<StartResult>;
  /** Default: permanent. */
  readonly restart?: Restart;
  /** Default: 5000 for a worker, infinity for a supervisor. */
  readonly shutdown?: Shutdown;
  /** Default: worker. */
  readonly type?: ChildType;
  /** Its exit may end the supervisor: see `autoShutdown`. Default: false. */
  readonly significant?: boolean;

  /** Its own window beside the supervisor's. When it is full, the supervisor ends or this child stays down. Default: none. */
  readonly intensity?: Intensity & { readonly whenFull?: 'escalate' | 'leave' };
  /** Replaces the supervisor's. */
  readonly backoff?: Backoff;
  /** The names of its inputs. When the content of one changes, the child is restarted. */
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  /** Runs first after each failure, under every strategy: saves evidence of the cause. */
  readonly keep?: (exit: Exit) => Promise<void>;
  /** Under the strategy revert: undoes what the child did. */
  readonly revert?: (exit: Exit) => Promise<void>;
};

const WORKER_SHUTDOWN_MS = 5000;

export function restartPolicy(spec: ChildSpec): Restart {
  return spec.restart ?? 'permanent';
}

export function shutdownPolicy(spec: Pick<ChildSpec, 'shutdown' | 'type'>): Shutdown {
  return spec.shutdown ?? (spec.type === 'supervisor' ? 'infinity' : WORKER_SHUTDOWN_MS);
}
