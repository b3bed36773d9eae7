/** The stored form of a gate: its input, its notes, its outcome. */
import type { StartedNote } from './attempt-contract.ts';
import type { PinnedGate, PinnedSandbox } from '../pinned-settings.ts';
import type { WorkPoint, WorkSize } from './workflow-contract.ts';

export type GateInput = PinnedGate & {
  readonly project: string;
  /** The attempt whose work it checks. 0: a step of a workflow, which names its work. */
  readonly attempt: number;
  /** The work that it checks, if another run has left it. */
  readonly work?: WorkPoint;
  /** The run whose setup it uses. Absent: the one that left the work. */
  readonly setupOf?: string;
  /** What it writes becomes part of the work. */
  readonly keepsWrites?: true;
  readonly sandbox: PinnedSandbox;
  readonly unsafe: boolean;
  /** The name of the setup's result, if there was a setup. */
  readonly setupKey?: string;
  /** The gate was red on the same files before: it is not run, and this is its outcome. */
  readonly known?: KnownRed;
  /** A gate that it depends on, which is red: it is not run. */
  readonly skippedFor?: string;
  /** A person who accepted exactly this work although this gate was red on it. */
  readonly acceptedBy?: string;
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
  /** Files that run by themselves or set up Supervisor, and that the work changed, each with what it is. */
  readonly protectedFiles?: readonly { readonly path: string; readonly why: string }[];
  /** Why the tests of the base are red on the work, if the gate may use changed tests. Absent: they are not. */
  readonly baseTestsRed?: string;
  /** Whether it has noticed a mutant of the work. Absent: none was to be tried. */
  readonly proof?: GateProof;
  /** The first tests that failed, as its own report says. Absent: it has no report, or none failed. */
  readonly failures?: readonly TestFailure[];
  readonly coverage?: CoverageFigures;
  /** It was not run: an earlier run judged the same files in the same environment at this time, in milliseconds. */
  readonly cachedAtMs?: number;
};

/** Each mutant is one line: `cart.js:12: swap the comparison`. */
export type GateProof =
  /** It became red with this mutant. */
  | { readonly kind: 'seeing'; readonly noticed: string; readonly missed: readonly string[] }
  /** It stayed green with each of these. */
  | { readonly kind: 'blind'; readonly missed: readonly string[] }
  /** The work has no line that a mutant could change. */
  | { readonly kind: 'not-applicable'; readonly why: string }
  /** The mutants could not be tried. */
  | { readonly kind: 'unknown'; readonly why: string };

export type TestFailure = {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly message?: string;
};

/** In percent of lines. */
export type CoverageFigures = {
  readonly percent: number;
  /** Of the lines that the work added or changed. Absent: the report has none of them. */
  readonly changedPercent?: number;
  /** Changed files that the report does not have, such as new code that no test has loaded. */
  readonly unlisted?: readonly string[];
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
  /** It was not run, and the run ends as blocked. */
  readonly blocks?: true;
  /** These make it red whatever its exit code is, such as what its test runners reported. */
  readonly reported?: readonly string[];
  /** It was not run again: this is its outcome on the base or after that attempt, on the same files. */
  readonly knownSince?: number | 'base';
} & GateBasis;

export type GateOutcome = (
  | ({
      readonly kind: 'passed';
      readonly name: string;
      /** The work with what the command has written. Absent: it wrote nothing that is kept. */
      readonly work?: WorkPoint & WorkSize;
    } & GateBasis)
  | FailedGate
  /** A gate that cannot run is red. */
  | {
      readonly kind: 'unable';
      readonly name: string;
      readonly why: string;
      /** The command that was probably meant. */
      readonly meant?: string;
      /** It was not run, because this gate, on which it depends, is red. */
      readonly skippedFor?: string;
    }
) & {
  /** How it is shown if it is red. Absent: as an error. */
  readonly severity?: 'warning' | 'info';
  /** An advisory gate: if it is red, the run does not fail. */
  readonly warns?: true;
};
