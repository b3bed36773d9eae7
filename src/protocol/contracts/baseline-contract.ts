/** The stored form of a gate on the base, before the first attempt: its input, its notes, its outcome. */
import type { GateInput, GateNote, GateOutcome } from './gate-contract.ts';

export type BaselineInput = Omit<GateInput, 'attempt' | 'known'> & {
  /** The agents work in the project itself, so the base is the project as it is now. */
  readonly worksInProject: boolean;
};

export type BaselineNote = GateNote;

export type BaselineOutcome = {
  readonly kind: 'judged';
  readonly outcome: GateOutcome;
  /** Whether the gate ran, or an earlier run has judged the same files in the same way. */
  readonly how: 'ran' | 'reused';
  /** Names the files of the base, as the content of a commit does. Null: the project itself. */
  readonly content: string | null;
};
