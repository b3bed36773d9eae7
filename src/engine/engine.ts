/**
 * The port of the engine. An engine drives every run with one loop: ask the program for moves, record
 * `begun`, perform, record `ended`, repeat. The implementation in `embedded/` runs in the owner's
 * process on the journal. Another engine must pass the same conformance suite.
 */
import type { RunId } from '../base/ids.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { RequestMark, Submission } from '../protocol/run-submission.ts';
import type { Signal } from '../protocol/signal.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import type { RunFilter } from '../store/journal.ts';
import type { Hold } from './limits.ts';

export type OnCreated = (run: RunId) => void;

export type ForkOptions = {
  readonly request?: RequestMark;
  readonly onCreated?: OnCreated;
  /** Absent: the submission of the run. */
  readonly submission?: Submission;
  /** The run whose spending counts in the fork: a later one that continues this run. Absent: this run. */
  readonly spentBy?: RunId;
  /** More runs whose own spending counts: they continue the same run already. */
  readonly alsoSpentBy?: readonly RunId[];
};

export interface Engine {
  /**
   * Resolves when the submission is durable. The run then continues by itself. `onCreated` is called with its id
   * before anything of the run is performed.
   */
  start(submission: Submission, onCreated?: OnCreated): Promise<RunId>;
  /**
   * Resolves when the signal is durable. Refuses with `run.not-found`, `run.already-ended`,
   * `store.full`, or after `close` with `store.closed`. Rejects if a defect has stopped the run.
   */
  signal(run: RunId, signal: Signal, request?: RequestMark): Promise<void>;
  /** Starts a run whose history is the first `seq` facts of this one. Commands that were open there are interrupted here. */
  fork(run: RunId, seq: number, options?: ForkOptions): Promise<RunId>;
  /** The run's facts after `after`, then each new one, until the run ends or `signal` aborts. */
  follow(run: RunId, after: number, signal: AbortSignal): AsyncIterable<RunEvent>;
  list(filter: RunFilter): Promise<readonly RunView[]>;
  get(run: RunId): Promise<RunView | undefined>;
  /** Why the next command of a run does not start yet. Undefined: no limit holds it up. */
  holdOf(run: RunId): Hold | undefined;
  /** How many runs are active, and how many commands are running. */
  busy(): { readonly runs: number; readonly commands: number };
  /** Stops deciding and cancels the running commands, without writing an end. The next engine resumes the runs. */
  close(): Promise<void>;
}
