/** The result of one gate in the history of a run. */
import { caveatsOf, redByReport, testsCounted } from '../protocol/gate-caveats.ts';
import type { ToldApart } from '../protocol/baseline-words.ts';
import type { CommandEnd } from '../protocol/commands.ts';
import type { BaselineRecord } from './baseline-record.ts';
import { sinceBase } from './baseline-record.ts';

export type GateRecord = {
  readonly name: string;
  readonly kind: 'passed' | 'failed' | 'unable';
  /** Its exit code, or why it could not run. Its counted tests if it passed, or nothing. */
  readonly words: string;
  /** The end of its output. */
  readonly tail: string;
  readonly at: number;
  /** Whether the gate is advisory: if it is red, the run does not fail. */
  readonly warns: boolean;
  /** What limits its proof. */
  readonly caveats: readonly string[];
  /** How it differs from the base, on which it was red. Null: it was not. */
  readonly sinceBase: ToldApart | null;
};

/** A gate that could not run to its end is red. */
export function gateRecord(
  key: string,
  end: CommandEnd<'gate'>,
  baseline: readonly BaselineRecord[],
  at: number,
): GateRecord {
  if (end.kind !== 'done') {
    const words =
      end.kind === 'interrupted' ? 'it was interrupted: the owner process died' : end.message;
    const unknown = { at, warns: false, caveats: [], sinceBase: null };
    return { name: key, kind: 'unable', words, tail: '', ...unknown };
  }
  const outcome = end.result;
  const { name, kind, warns = false } = outcome;
  const caveats = caveatsOf(outcome);
  const gate = {
    name,
    kind,
    at,
    warns,
    caveats,
    tail: '',
    sinceBase: sinceBase(baseline, outcome),
  };
  switch (outcome.kind) {
    case 'passed':
      return { ...gate, words: testsCounted(outcome) };
    case 'failed': {
      const { exit, tail, knownSince } = outcome;
      const red = redByReport(outcome) || `exit ${exit ?? 'by a signal'}`;
      const words = knownSince === undefined ? red : `${red}; not run again, as no file changed`;
      return { ...gate, tail, words };
    }
    case 'unable':
      return { ...gate, words: outcome.why };
  }
}
