/** The form of a row: a way to make a gate green on wrong work, with the gate that it targets. */

type Files = Readonly<Record<string, string | null>>;

export type Bypass = {
  readonly why: string;
  readonly gate: readonly string[];
  readonly base: Files;
  /** The agent's content; null: it deletes the file. */
  readonly work: Files;
  /**
   * `closed`: the gate judges without the change. `tests`: the same, and the test is named in the
   * record. `not-protected`: the gate says that it can't be protected.
   */
  readonly expected: 'closed' | 'tests' | 'not-protected';
  /**
   * Programs that show it for real: the change alone makes the gate green, and Supervisor's gate is
   * red.
   */
  readonly real?: readonly string[];
};

export type Row = readonly [
  why: string,
  gate: string,
  base: Files,
  work: Files,
  expected?: Bypass['expected'],
  real?: boolean,
];
