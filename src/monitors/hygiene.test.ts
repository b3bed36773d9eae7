import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HygieneFinding } from './hygiene.ts';
import { planHygiene, describeHygiene } from './hygiene.ts';

const DAY = 86_400_000;
const states = { going: 'going-on', ended: 'ended' } as const;

function stateOf(run: string): 'going-on' | 'ended' | 'unknown' {
  return run in states ? states[run as keyof typeof states] : 'unknown';
}

const found = (run: string, days = 0): HygieneFinding => ({
  run,
  bytes: 1_500_000,
  ageMs: days * DAY,
});

describe('what lies about', () => {
  const cases: [why: string, HygieneFinding[], after: number | null, clear: string[]][] = [
    ['nothing is deleted unless somebody said so', [found('lost', 1000)], null, []],
    ['what belongs to nobody and is old goes', [found('lost', 8)], 7, ['lost']],
    ['at that very age too', [found('lost', 7)], 7, ['lost']],
    ['what is younger stays', [found('lost', 6)], 7, []],
    ['the body of an ended run stays, however old', [found('ended', 1000)], 7, []],
    ['what is going on is nobody’s to touch', [found('going', 1000)], 7, []],
    ['where nothing is found nothing is done', [], 7, []],
  ];
  for (const [why, finds, days, clear] of cases) {
    test(why, () => {
      const deleteAfterMs = days === null ? null : days * DAY;
      assert.deepEqual(planHygiene(finds, stateOf, { deleteAfterMs }).clear, clear);
    });
  }

  test('is told, and once it was cleared away there is nothing more to do', () => {
    const finds = [found('lost', 8), found('ended', 1), found('going')];
    const policy = { deleteAfterMs: DAY };
    const { report, clear } = planHygiene(finds, stateOf, policy);
    assert.equal(
      describeHygiene(report, clear.length),
      'keeps 1 ended runs (1.5 MB), 1 belong to nobody (1.5 MB), 1 cleared away',
    );
    const again = planHygiene(
      finds.filter(({ run }) => !clear.includes(run)),
      stateOf,
      policy,
    );
    assert.deepEqual(
      [again.clear, describeHygiene(again.report, 0)],
      [[], 'keeps 1 ended runs (1.5 MB)'],
    );
  });
});
