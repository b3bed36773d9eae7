import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HygieneFinding } from './hygiene.ts';
import { planHygiene, describeHygiene } from './hygiene.ts';

const DAY = 86_400_000;
const states = { going: 'running', ended: 'ended' } as const;

function stateOf(run: string): 'running' | 'ended' | 'unknown' {
  return run in states ? states[run as keyof typeof states] : 'unknown';
}

const found = (run: string, days = 0): HygieneFinding => ({
  run,
  bytes: 1_500_000,
  ageMs: days * DAY,
});

describe('leftovers in the home', () => {
  const cases: [why: string, HygieneFinding[], after: number | null, clear: string[]][] = [
    ['nothing is deleted without opt-in', [found('lost', 1000)], null, []],
    ['an old orphan is deleted', [found('lost', 8)], 7, ['lost']],
    ['an orphan of exactly that age is deleted', [found('lost', 7)], 7, ['lost']],
    ['a younger orphan stays', [found('lost', 6)], 7, []],
    ['the leftovers of an ended run stay, however old', [found('ended', 1000)], 7, []],
    ['the files of a running run stay', [found('going', 1000)], 7, []],
    ['no findings give an empty plan', [], 7, []],
  ];
  for (const [why, finds, days, clear] of cases) {
    test(why, () => {
      const deleteAfterMs = days === null ? null : days * DAY;
      assert.deepEqual(planHygiene(finds, stateOf, { deleteAfterMs }).runsToDelete, clear);
    });
  }

  test('are reported, and after the deletion there is nothing more to do', () => {
    const finds = [found('lost', 8), found('ended', 1), found('going')];
    const policy = { deleteAfterMs: DAY };
    const { report, runsToDelete } = planHygiene(finds, stateOf, policy);
    assert.equal(
      describeHygiene(report, runsToDelete.length),
      'keeps 1 ended run (1.5 MB), 1 orphan (1.5 MB), 1 deleted',
    );
    const again = planHygiene(
      finds.filter(({ run }) => !runsToDelete.includes(run)),
      stateOf,
      policy,
    );
    assert.deepEqual(
      [again.runsToDelete, describeHygiene(again.report, 0)],
      [[], 'keeps 1 ended run (1.5 MB)'],
    );
  });
});
