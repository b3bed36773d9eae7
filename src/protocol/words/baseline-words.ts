/** How a gate judged the base, in words, and how its failures differ from those of a later outcome. */
import { plural } from '../../base/text.ts';
import { testsCounted } from './gate-caveats.ts';
import type { CountedTests, GateOutcome } from '../contracts/gate-contract.ts';

/** What became of a gate that was red on the base. Each list of names is sorted. */
export type ToldApart = {
  /** `tests`: by the names of tests. `output`: by what the gate printed. `none`: they can't be told apart. */
  readonly by: 'tests' | 'output' | 'none';
  /** Failed on the base, and fail now. */
  readonly still: readonly string[];
  /** Failed on the base, and pass now. */
  readonly fixed: readonly string[];
  /** Fail now, and did not fail on the base. */
  readonly fresh: readonly string[];
};

const NAMES_MAX = 5;

/** Compares two outcomes of one gate, the first of which is red. */
export function tellApart(base: GateOutcome, now: GateOutcome): ToldApart {
  const nothing = { still: [], fixed: [], fresh: [] };
  const before = failingTests(base);
  if (now.kind === 'passed')
    return { by: before === null ? 'none' : 'tests', ...nothing, fixed: before ?? [] };
  const after = failingTests(now);
  if (before !== null && after !== null)
    return {
      by: 'tests',
      still: after.filter((name) => before.includes(name)),
      fixed: before.filter((name) => !after.includes(name)),
      fresh: after.filter((name) => !before.includes(name)),
    };
  const isSame = base.kind === 'failed' && now.kind === 'failed' && base.exit === now.exit;
  const isAlike = isSame && comparable(base.tail) === comparable(now.tail);
  return { by: isAlike ? 'output' : 'none', ...nothing };
}

/** The tests that failed. Null: not all of their names are known. */
function failingTests(outcome: GateOutcome): readonly string[] | null {
  const counted = countedOf(outcome);
  if (counted === undefined) return null;
  const { failed, failing = [] } = counted;
  return failing.length > 0 && failing.length >= failed ? failing : null;
}

function countedOf(outcome: GateOutcome): CountedTests | undefined {
  return outcome.kind === 'unable' ? undefined : outcome.counted;
}

/** The output without what differs from run to run: times, numbers, addresses and random names. */
function comparable(output: string): string {
  return output
    .replaceAll(/\[supervisor\].*$/gm, '')
    .replaceAll(/(?:\/[\w.@+-]+)+\//g, '/')
    .replaceAll(/\d+/g, '0')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** What a gate says about the base, without its name: `fails before the agent starts: 2 of 14 tests (adds; rounds)`. */
export function describeBaseline(outcome: GateOutcome): string {
  switch (outcome.kind) {
    case 'passed': {
      const counted = testsCounted(outcome);
      return `is green on the base${counted === '' ? '' : `: ${counted}`}`;
    }
    case 'unable':
      return `can't run on the base: ${outcome.why}`;
    case 'failed':
      return `fails before the agent starts: ${describeRed(outcome)}`;
  }
}

function describeRed(outcome: Extract<GateOutcome, { kind: 'failed' }>): string {
  const { counted, exit, timedOut } = outcome;
  if (counted !== undefined && counted.failed > 0) {
    const { passed, failed, skipped, failing = [] } = counted;
    const count = `${failed} of ${plural(passed + failed + skipped, 'test')}`;
    return failing.length === 0 ? count : `${count} (${listNames(failing, failed)})`;
  }
  if (timedOut === true) return 'it ran longer than its limit';
  return exit === null ? 'it did not end by itself' : `exit ${exit}`;
}

/** What became of the failures of the base: `1 failed before and still does: a; 1 is fixed: b; 1 is new: c`. */
export function describeToldApart(
  { by, still, fixed, fresh }: ToldApart,
  isGreen: boolean,
): string {
  if (isGreen && fixed.length === 0) return 'red on the base, and green now';
  if (by === 'output') return 'it fails as on the base';
  if (by === 'none') return 'already red on the base; which failures are new is not known';
  const parts = [
    ...part(fresh, 'is new', 'are new'),
    ...part(still, 'failed before and still does', 'failed before and still do'),
    ...part(fixed, 'is fixed', 'are fixed'),
  ];
  return parts.join('; ');
}

function part(names: readonly string[], one: string, many: string): readonly string[] {
  if (names.length === 0) return [];
  const tests = plural(names.length, 'test');
  return [`${tests} ${names.length === 1 ? one : many}: ${listNames(names, names.length)}`];
}

function listNames(names: readonly string[], count: number): string {
  const more = count - Math.min(names.length, NAMES_MAX);
  return `${names.slice(0, NAMES_MAX).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}
