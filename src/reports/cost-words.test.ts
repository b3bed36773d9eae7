import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TotalCost } from './cost-words.ts';
import { costWords, digitsThatAddUp, totalCost } from './cost-words.ts';

const NO_USAGE = {
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
  tokensFrom: null,
  costFrom: null,
};
const paid = (costUsd: number) => ({ usage: { ...NO_USAGE, costUsd }, counted: null });
const tokensOnly = {
  usage: NO_USAGE,
  counted: { tokens: 7, inputTokens: 3, outputTokens: 4, costUsd: null },
};
const reported = { usage: { ...NO_USAGE, inputTokens: 3 }, counted: null };
const silent = { usage: NO_USAGE, counted: null };

describe('the cost of attempts', () => {
  const cases: [why: string, cost: TotalCost, words: string][] = [
    ['is empty without tokens', totalCost([silent]), ''],
    ['is the sum of known costs', totalCost([paid(0.5), paid(0.25)], 1), '$1.75'],
    ['is unknown if no token has a price', totalCost([tokensOnly]), 'cost unknown'],
    ['is unknown if a CLI reports only tokens', totalCost([reported]), 'cost unknown'],
    ['is at least the known part', totalCost([paid(0.5), tokensOnly]), 'at least $0.50'],
    ['is unknown rather than at least nothing', totalCost([paid(0), tokensOnly]), 'cost unknown'],
    ['is zero if it is known to be zero', totalCost([paid(0)]), '$0.00'],
  ];
  for (const [why, cost, words] of cases) test(why, () => assert.equal(costWords(cost), words));
});

describe('the digits with which costs add up', () => {
  const cases: readonly [why: string, costs: readonly number[], digits: number][] = [
    ['none', [], 2],
    ['cents', [0.25, 1.5], 2],
    ['parts of a cent that vanish', [0.004, 0.004], 3],
    ['parts of a cent that are rounded up', [0.125, 0.125], 3],
    ['more than a tenth of a cent that is rounded twice', [0.0046, 0.0046], 4],
  ];
  for (const [why, costs, digits] of cases)
    test(why, () => assert.equal(digitsThatAddUp(costs), digits));
});
