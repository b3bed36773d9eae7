import type { ProcessExit } from '../adapters/adapter.ts';
import type { Transcript } from '../adapters/transcript.ts';
import type { TimeBudget } from '../gateway/budget/time-budget.ts';
import type { ContainerState, Tail } from '../failures/evidence.ts';

/** Everything that was observed of an agent's process, from its start to its end. */
export type AttemptRun = {
  readonly kind: 'ran';
  readonly exit: ProcessExit;
  readonly container: ContainerState | null;
  /** Null: the agent ended by itself. */
  readonly stoppedBy: 'user' | 'deadline' | 'time-budget' | null;
  /** The time budget that stopped it. Absent: none. */
  readonly timeSpent?: TimeBudget;
  readonly transcript: Transcript;
  readonly tail: Tail;
  /** The whole last message. Empty unless the attempt has a brief or `readsNotes`. */
  readonly answer: string;
  /** The notes of its earlier messages. */
  readonly notes: readonly string[];
};
