/** What limits the proof of a gate, in words for a person, from its stored outcome. */
import { plural, truncate } from '../../base/text.ts';
import type { GateBasis, GateOutcome } from '../contracts/gate-contract.ts';

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

/** The tests and the coverage of a gate: `12 tests passed (vitest), coverage 85.2 %`; empty: neither is known. */
export function describeResult(outcome: GateOutcome): string {
  const { coverage, proof } = gateBasis(outcome);
  const parts = [testsCounted(outcome)];
  if (coverage !== undefined) {
    const { percent, changedPercent } = coverage;
    const changed =
      changedPercent === undefined ? '' : ` (${changedPercent} % of the changed lines)`;
    parts.push(`coverage ${percent} %${changed}`);
  }
  if (proof?.kind === 'seeing') parts.push(`noticed a mutant (${proof.noticed})`);
  return parts.filter((part) => part !== '').join(', ');
}

/** Whether a gate that should notice mutants does not; empty: it does, or none was tried. */
export function describeUnproven(outcome: GateOutcome): string {
  const { proof } = gateBasis(outcome);
  switch (proof?.kind) {
    case undefined:
    case 'seeing':
      return '';
    case 'blind':
      return `blind: it stayed green with ${plural(proof.missed.length, 'mutant')} of the changed lines (${proof.missed.join('; ')})`;
    case 'not-applicable':
      return `not tried with mutants: ${proof.why}`;
    case 'unknown':
      return `not proven with mutants: ${proof.why}`;
  }
}

/** Protected files that the work changes, each with what it is: tests, definitions of gates, CI files, settings. */
export function protectedChanges(outcome: GateOutcome): readonly string[] {
  const { restored = [], protectedFiles = [] } = gateBasis(outcome);
  const named = new Set(protectedFiles.map(({ path }) => path));
  return [
    ...protectedFiles.map(({ path, why }) => `${path} (${why})`),
    ...restored.filter((path) => !named.has(path)).map((path) => `${path} (it defines a gate)`),
    ...testsTouched(outcome),
  ];
}

/** Why its tests were not counted; empty: they were, or it has none. */
export function notCounted(outcome: GateOutcome): string {
  return gateBasis(outcome).notCounted ?? '';
}

/** Why its tests make it red although its exit code does not. */
export function redByReport(outcome: GateOutcome): string {
  return outcome.kind === 'failed' ? (outcome.reported ?? []).join('; ') : '';
}

/** When an earlier run judged the same files, such as `judged at 2026-01-01T10:00:00.000Z`; empty: it ran now. */
export function judgedEarlier(outcome: GateOutcome): string {
  const { cachedAtMs } = gateBasis(outcome);
  if (cachedAtMs === undefined) return '';
  return `not run again: the same files were judged at ${new Date(cachedAtMs).toISOString()}`;
}

/** Why a green gate proves less than it seems to. A person reads this before an approval. Empty: it proves the work. */
export function limitsOfProof(outcome: GateOutcome): readonly string[] {
  const { name } = outcome;
  const { unprotected = [], accepted = false, baseTestsRed, proof } = gateBasis(outcome);
  return [
    ...(baseTestsRed === undefined ? [] : [`with the tests of the base, ${baseTestsRed}`]),
    ...(proof?.kind === 'blind' ? [`gate ${name} is ${describeUnproven(outcome)}`] : []),
    ...(unprotected.length === 0 || accepted
      ? []
      : [`gate ${name} is not protected: ${unprotected.join('; ')}`]),
  ].map((limit) => truncate(limit, LIMIT_CHARS_MAX));
}

const LIMIT_CHARS_MAX = 300;

/** One sentence for each limit of the proof. */
export function caveatsOf(outcome: GateOutcome): readonly string[] {
  const { name } = outcome;
  const [open, tests] = [notProtected(outcome), testsTouched(outcome)];
  const why = notCounted(outcome);
  const earlier = judgedEarlier(outcome);
  const { protectedFiles = [], baseTestsRed } = gateBasis(outcome);
  const unproven = describeUnproven(outcome);
  const isProblem = outcome.kind === 'passed' && unproven !== '';
  return [
    ...(earlier === '' ? [] : [`gate ${name} was ${earlier}`]),
    ...(isProblem ? [`gate ${name} is ${unproven}`] : []),
    ...(baseTestsRed === undefined ? [] : [`with the tests of the base, ${baseTestsRed}`]),
    ...(protectedFiles.length === 0
      ? []
      : [
          `the work changes protected files: ${protectedFiles.map(({ path, why }) => `${path} (${why})`).join(', ')}`,
        ]),
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
