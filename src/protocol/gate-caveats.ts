/** What limits the proof of a gate, in words for a person, from its stored outcome. */
import { plural } from '../base/text.ts';
import type { GateBasis, GateOutcome } from './gate-contract.ts';

/** Why files of the work may have influenced the verdict; empty: the gate is protected. */
export function notProtected(outcome: GateOutcome): readonly string[] {
  return gateBasis(outcome).unprotected ?? [];
}

/** Tests of the base that the work changed, deleted or skips, each with what was done to it. */
export function testsTouched(outcome: GateOutcome): readonly string[] {
  const { tests = [] } = gateBasis(outcome);
  return tests.map(({ path, how }) => `${path} (${WORDS[how] ?? how})`);
}

/** What its test runners have reported, such as `12 tests passed, 1 skipped (node:test)`; empty: nothing. */
export function testsCounted(outcome: GateOutcome): string {
  const { counted } = gateBasis(outcome);
  if (counted === undefined) return '';
  const { passed, failed, skipped, runners } = counted;
  const parts = [
    `${plural(passed, 'test')} passed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  return `${parts.join(', ')} (${runners.join(', ')})`;
}

/** Why its tests were not counted; empty: they were, or it has none. */
export function notCounted(outcome: GateOutcome): string {
  return gateBasis(outcome).notCounted ?? '';
}

/** Why its tests make it red although its exit code does not. */
export function redByReport(outcome: GateOutcome): string {
  return outcome.kind === 'failed' ? (outcome.reported ?? []).join('; ') : '';
}

/** One sentence for each limit of the proof. */
export function caveatsOf(outcome: GateOutcome): readonly string[] {
  const { name } = outcome;
  const [open, tests] = [notProtected(outcome), testsTouched(outcome)];
  const why = notCounted(outcome);
  return [
    ...(open.length === 0 ? [] : [`gate ${name} is not protected: ${open.join('; ')}`]),
    ...(tests.length === 0 ? [] : [`the work touches tests of the base: ${tests.join(', ')}`]),
    ...(why === '' ? [] : [`the tests of gate ${name} are not counted: ${why}`]),
  ];
}

const WORDS: Readonly<Record<string, string>> = { skips: 'skipped' };

/** A gate that could not run has judged nothing. */
function gateBasis(outcome: GateOutcome): GateBasis {
  return outcome.kind === 'unable' ? {} : outcome;
}
