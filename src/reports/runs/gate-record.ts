/** The result of one gate in the history of a run. */
import {
  caveatsOf,
  describeResult,
  protectedChanges,
  redByReport,
} from '../../protocol/words/gate-caveats.ts';
import type { ToldApart } from '../../protocol/words/baseline-words.ts';
import type { GateProof, TestFailure } from '../../protocol/contracts/gate-contract.ts';
import type { CommandEnd } from '../../protocol/commands.ts';
import type { BaselineRecord } from './baseline-record.ts';
import { sinceBase } from './baseline-record.ts';

export type GateRecord = {
  readonly name: string;
  /** `interrupted`: the owner ended while it ran. It has no result, and runs again. */
  readonly kind: 'passed' | 'failed' | 'unable' | 'interrupted';
  /** Its exit code, or why it could not run. Its counted tests if it passed, or nothing. */
  readonly words: string;
  /** The end of its output. */
  readonly tail: string;
  /** The first tests that failed, as its own report says. */
  readonly failures: readonly TestFailure[];
  readonly at: number;
  /** Whether the gate is advisory: if it is red, the run does not fail. */
  readonly warns: boolean;
  /** How it is shown if it is red. */
  readonly severity: 'error' | 'warning' | 'info';
  /** It was not run again, because no file had changed. */
  readonly isKnown: boolean;
  /** Protected files that the work changes, each with what it is. */
  readonly protectedChanges: readonly string[];
  /** Whether it has noticed a mutant of the work. Null: none was to be tried. */
  readonly proof: GateProof | null;
  /** What limits its proof. */
  readonly caveats: readonly string[];
  /** How it differs from the base, on which it was red. Null: it was not. */
  readonly sinceBase: ToldApart | null;
};

/** A gate is red if it could not run, and has no result if it was interrupted. */
export function gateRecord(
  gateName: string,
  end: CommandEnd<'gate'>,
  baseline: readonly BaselineRecord[],
  at: number,
): GateRecord {
  if (end.kind !== 'done') {
    const unknown = {
      ...{
        name: gateName,
        tail: '',
        failures: [],
        protectedChanges: [],
        proof: null,
        at,
        warns: false,
        isKnown: false,
      },
      severity: 'error' as const,
      ...{ caveats: [], sinceBase: null },
    };
    return end.kind === 'interrupted'
      ? { ...unknown, kind: 'interrupted', words: 'it was interrupted: the owner ended' }
      : { ...unknown, kind: 'unable', words: `internal error in Supervisor: ${end.message}` };
  }
  const outcome = end.result;
  const { name, kind, warns = false, severity = 'error' } = outcome;
  const caveats = caveatsOf(outcome);
  const gate: Omit<GateRecord, 'words'> = {
    name,
    kind,
    at,
    warns,
    severity,
    isKnown: outcome.kind === 'failed' && outcome.knownSince !== undefined,
    caveats,
    tail: '',
    protectedChanges: protectedChanges(outcome),
    proof: outcome.kind === 'unable' ? null : (outcome.proof ?? null),
    failures: outcome.kind === 'failed' ? (outcome.failures ?? []) : [],
    sinceBase: sinceBase(baseline, outcome),
  };
  switch (outcome.kind) {
    case 'passed':
      return { ...gate, words: describeResult(outcome) };
    case 'failed': {
      const { exit, tail, knownSince } = outcome;
      const red = redByReport(outcome) || `exit ${exit ?? 'by a signal'}`;
      const words =
        knownSince === undefined ? red : `${red}; not run again: ${notRunAgain(knownSince)}`;
      return { ...gate, tail, words };
    }
    case 'unable':
      return { ...gate, words: outcome.why };
  }
}

function notRunAgain(knownSince: number | 'base'): string {
  return `no file changed since ${knownSince === 'base' ? 'the base' : `attempt ${knownSince}`}`;
}
