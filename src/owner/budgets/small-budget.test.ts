import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BudgetOfRun, BudgetsOfRun } from './small-budget.ts';
import { findBudgetTrouble, findSmallBudget } from './small-budget.ts';

const PRICES = [{ model: 'm-1', input: 5, output: 25 }];
const claude = { cli: 'claude', model: 'm-1' };
const scripted = { cli: 'scripted' };
const usd = (amount: number | null): BudgetOfRun => ({ usd: amount, tokens: null, asks: true });
const tokens = (count: number): BudgetOfRun => ({ usd: null, tokens: count, asks: true });
const cases: [why: string, given: Parameters<typeof findSmallBudget>, words: string | undefined][] =
  [
    [
      'less than one call of its first agent costs',
      [usd(0.05), [scripted, claude], PRICES],
      'a budget of $0.05 may not pay for one call of m-1, which may cost $0.23 or more: the run would ask at once',
    ],
    [
      'the same, and the run may not ask',
      [{ ...usd(0.05), asks: false }, [claude], PRICES],
      'a budget of $0.05 may not pay for one call of m-1, which may cost $0.23 or more: the run would end at once, because it may not ask (--no-ask)',
    ],
    [
      'fewer tokens than one call needs',
      [tokens(5000), [claude], PRICES],
      'a budget of 5000 tokens may not pay for one call of claude, which may use 41024 tokens or more: the run would ask at once',
    ],
    ['enough tokens', [tokens(50_000), [claude], []], undefined],
    ['enough for a call', [usd(0.3), [claude], PRICES], undefined],
    ['no limit', [usd(null), [claude], PRICES], undefined],
    ['a price that is not known', [usd(0.05), [{ ...claude, model: 'm-2' }], PRICES], undefined],
    ['an agent that calls no model', [usd(0.05), [scripted], PRICES], undefined],
  ];
for (const [why, given, words] of cases)
  test(`a budget before a run: ${why}`, () =>
    assert.equal(findSmallBudget(...given)?.words, words));

test('a budget that is too small comes with one that is enough', () => {
  assert.equal(
    findSmallBudget(usd(0.05), [claude], PRICES)?.hint,
    'Give it more with: --budget-usd 3',
  );
});

const NONE = { usd: null, tokens: null };
const budgets = (more: Partial<BudgetsOfRun['budget']>): BudgetsOfRun['budget'] => ({
  ...{ run: NONE, project: NONE, tree: NONE },
  ...more,
});
const [capped, unknown] = [
  { usd: 50, tokens: null },
  { ...claude, model: 'm-2' },
];
const troubles: [
  why: string,
  given: [Partial<BudgetsOfRun>, Parameters<typeof findBudgetTrouble>[1]],
  words: RegExp | undefined,
][] = [
  [
    'the project has spent its own',
    [{ budget: budgets({ project: capped }), spent: 'usd' }, [claude]],
    /^the budget of this project is used up \(usd\): the run would ask at its first call$/,
  ],
  [
    'the price of a model is unknown',
    [{ budget: budgets({ run: capped }) }, [scripted, unknown]],
    /^money is limited, and the price of m-2 is unknown: the run would ask at its first call$/,
  ],
  [
    'the same with money of the project, and the run may not ask',
    [{ budget: budgets({ project: capped }), asks: false }, [unknown]],
    /price of m-2 is unknown: the run would end at its first call, because it may not ask/,
  ],
  [
    'its own does not pay for a call',
    [{ budget: budgets({ run: { usd: 0.05, tokens: null } }) }, [claude]],
    /^a budget of \$0\.05 may not pay for one call of m-1/,
  ],
  [
    'only tokens are limited',
    [{ budget: budgets({ run: { usd: null, tokens: 1e6 } }) }, [unknown]],
    undefined,
  ],
  [
    'no model is called',
    [{ budget: budgets({ run: capped }), spent: 'usd' }, [scripted]],
    undefined,
  ],
];
for (const [why, [given, agents], words] of troubles)
  test(`the budgets before a run: ${why}`, () => {
    const all = { budget: budgets({}), asks: true, spent: undefined, ...given };
    const found = findBudgetTrouble(all, agents, PRICES)?.words;
    if (words === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', words);
  });
