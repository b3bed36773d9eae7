import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSmallBudget } from './small-budget.ts';

const PRICES = [{ model: 'm-1', input: 5, output: 25 }];
const claude = { cli: 'claude', model: 'm-1' };
const scripted = { cli: 'scripted' };
const cases: [why: string, given: Parameters<typeof findSmallBudget>, words: string | undefined][] =
  [
    [
      'less than one call of its first agent costs',
      [0.05, [scripted, claude], PRICES],
      'a budget of $0.05 may not pay for one call of m-1, which may cost $0.23 or more: the run would ask at once',
    ],
    ['enough for a call', [0.3, [claude], PRICES], undefined],
    ['no limit', [null, [claude], PRICES], undefined],
    ['a price that is not known', [0.05, [{ ...claude, model: 'm-2' }], PRICES], undefined],
    ['an agent that calls no model', [0.05, [scripted], PRICES], undefined],
  ];
for (const [why, given, words] of cases)
  test(`a budget before a run: ${why}`, () =>
    assert.equal(findSmallBudget(...given)?.words, words));

test('a budget that is too small comes with one that is enough', () => {
  assert.equal(findSmallBudget(0.05, [claude], PRICES)?.hint, 'Give it more with: --budget-usd 3');
});
