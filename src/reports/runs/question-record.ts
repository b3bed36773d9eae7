/** A question of a run to a person, in its history. */
import type { AttemptHistory } from './attempt-history.ts';

export type QuestionRecord = {
  readonly key: string;
  readonly question: string;
  /** The valid answers. Empty: any text is valid. */
  readonly choices: readonly string[];
  /** The run lacks a key. */
  readonly about?: 'keys';
  /** The gate that is red. The answer `accept` continues all the same. */
  readonly redGate?: string;
  /** For a question about a spent budget: by how much `continue` raises it. */
  readonly raise?: NonNullable<AttemptHistory['raise']>;
  readonly askedAt: number;
  readonly answer: string | null;
  readonly endedAt: number | null;
};
