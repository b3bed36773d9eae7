/** The stored form of a gate: its input, its notes, its outcome. */
import type { StartedNote } from './attempt-contract.ts';
import type { PinnedGate, PinnedSandbox } from './pinned-settings.ts';

export type GateInput = PinnedGate & {
  readonly project: string;
  /** The attempt whose work it checks. */
  readonly attempt: number;
  readonly sandbox: PinnedSandbox;
  readonly unsafe: boolean;
  /** The name of the setup's result, if there was a setup. */
  readonly setupKey?: string;
  /** The gate was red on the same files before: it is not run, and this is its outcome. */
  readonly known?: KnownRed;
};

/** A red gate whose files have not changed since. */
export type KnownRed = {
  /** The place of the gate in the list of the run. The gates before it were green on these files. */
  readonly place: number;
  readonly outcome: FailedGate;
  /** What left the same files: that attempt, or the base. */
  readonly since: number | 'base';
};

export type GateNote =
  | StartedNote
  /** What it judges: the commit, and by which definition. */
  | (GateBasis & {
      readonly kind: 'judges';
      readonly definition: 'of-base' | 'of-work';
      /** Null: the project itself. */
      readonly commit: string | null;
      readonly restored: readonly string[];
    });

/** The basis of a verdict. An absent field means the usual case. */
export type GateBasis = {
  /** Files that define the verdict and that the agent changed: those of the base were used. */
  readonly restored?: readonly string[];
  /** Tests of the base that the work changed, deleted or skips. */
  readonly tests?: readonly { readonly path: string; readonly how: string }[];
  /** Why files of the work may have influenced the verdict. */
  readonly unprotected?: readonly string[];
  /** The user counts it as proof all the same. */
  readonly accepted?: true;
  /** What its test runners have reported. */
  readonly counted?: CountedTests;
  /** Why nothing was counted. */
  readonly notCounted?: string;
};

export type TestTally = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
};

export type CountedTests = TestTally & {
  readonly runners: readonly string[];
  /** Names of the tests that failed, sorted. There may be fewer than failed. Absent: none is known. */
  readonly failing?: readonly string[];
};

export type FailedGate = {
  readonly kind: 'failed';
  readonly name: string;
  /** Null: it did not exit by itself. */
  readonly exit: number | null;
  readonly tail: string;
  /** It exceeded its time limit. */
  readonly timedOut?: true;
  /** Its test runners reported these, so it is red whatever its exit code is. */
  readonly reported?: readonly string[];
  /** It was not run again: this is its outcome on the base or after that attempt, on the same files. */
  readonly knownSince?: number | 'base';
} & GateBasis;

export type GateOutcome = (
  | ({ readonly kind: 'passed'; readonly name: string } & GateBasis)
  | FailedGate
  /** A gate that cannot run is red. */
  | { readonly kind: 'unable'; readonly name: string; readonly why: string }
) & {
  /** An advisory gate: if it is red, the run does not fail. */
  readonly warns?: true;
};
