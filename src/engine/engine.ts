/**
 * The engine: it keeps every run going by the one rule of house and home — ask the program what
 * should be, write `begun`, have it performed, write `ended`, ask again. The port; `embedded/` runs
 * in the owner's process on the journal, and another engine must pass the same conformance suite.
 */
import type { RunId } from '../base/ids.ts';
import type { RequestMark, Signal, RunEvent, Submission } from '../protocol/event.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import type { RunFilter } from '../store/journal.ts';

export interface Engine {
  /** Resolves when the submission is durable; the run goes on by itself. */
  start(submission: Submission): Promise<RunId>;
  /**
   * Resolves when the signal is durable. Refuses with `run.not-found`, `run.already-ended`,
   * `store.full`, or after `close` with `store.closed`; rejects when a defect keeps the run still.
   */
  signal(run: RunId, signal: Signal, request?: RequestMark): Promise<void>;
  /** A new run whose history is the first `seq` facts of this one. What was open there is lost here. */
  fork(run: RunId, seq: number, request?: RequestMark): Promise<RunId>;
  /** The run's facts after `after`, then each new one, until the run ends or `signal` aborts. */
  follow(run: RunId, after: number, signal: AbortSignal): AsyncIterable<RunEvent>;
  list(filter: RunFilter): Promise<readonly RunView[]>;
  get(run: RunId): Promise<RunView | undefined>;
  /** How many runs are going on, and how many commands are being performed. */
  busy(): { readonly runs: number; readonly commands: number };
  /** Stops deciding and calls off what is performed, without writing an end: a resume goes on with it. */
  close(): Promise<void>;
}
