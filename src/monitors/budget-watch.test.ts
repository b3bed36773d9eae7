import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BudgetShare } from '../protocol/activity.ts';
import { describeRemaining, describeShares, decideWarnings } from './budget-watch.ts';

const usd = (spent: number, cap: number): BudgetShare => ({ limit: 'usd', spent, cap });

describe('a budget near its end', () => {
  const cases: [why: string, BudgetShare[], warned: string[], near: number][] = [
    ['is not near before four fifths', [usd(3.99, 5)], [], 0],
    ['is near from four fifths on', [usd(4, 5)], [], 1],
    ['is reported once', [usd(4.5, 5)], ['usd 5'], 0],
    ['is a new one once it was raised', [usd(8, 10)], ['usd 5'], 1],
    [
      'each kind counts separately',
      [usd(4, 5), { limit: 'calls', spent: 9, cap: 10 }],
      ['usd 5'],
      1,
    ],
    ['a cap of zero is reached', [usd(0, 0)], [], 1],
  ];
  for (const [why, shares, warned, near] of cases)
    test(why, () => assert.equal(decideWarnings(shares, warned).near.length, near));

  test('warnings about caps that were removed are forgotten', () => {
    assert.deepEqual(decideWarnings([usd(8, 10)], ['usd 5']).warned, ['usd 10']);
  });

  test('is described with the fullest first', () => {
    const wall: BudgetShare = { limit: 'wall', spent: 3_540_000, cap: 3_600_000 };
    assert.equal(describeShares([usd(4.1, 5), wall]), '98 % of 60 minutes, 82 % of 5 USD');
  });

  test('the rest is described where there is a cap', () => {
    assert.equal(
      describeRemaining({ usd: 1.239, tokens: null, calls: 7, wallMs: null }),
      '1.23 USD, 7 model calls',
    );
    assert.equal(describeRemaining({ usd: null, tokens: null, calls: null, wallMs: null }), '');
  });
});
