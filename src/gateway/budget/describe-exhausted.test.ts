import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallEstimate } from './budget-ledger.ts';
import type { BudgetEnd } from './call-budget.ts';
import { describeExhausted, leastRaise } from './describe-exhausted.ts';

const CALL: CallEstimate = {
  inputTokens: 10_000,
  outputTokens: 8000,
  outputTokensMin: 1000,
  usd: { input: 0.2, outputToken: 0.0001 },
};
const spent = { tokens: 9500, usd: 4.75, calls: 3 };

const cases: [
  why: string,
  end: Omit<BudgetEnd, 'spent'>,
  call: CallEstimate | null,
  text: string,
][] = [
  [
    'money is left, but less than the call needs',
    { scope: 'run', limit: 'usd', cap: 5 },
    CALL,
    'The dollar budget of this run does not pay for the next call: $4.75 of $5.00 is used, $0.2500 is left, and the call may cost up to $1.00',
  ],
  [
    'no money is left',
    { scope: 'project', limit: 'usd', cap: 4.5 },
    CALL,
    'The dollar budget of this project is spent: $4.75 of $4.50 is used',
  ],
  [
    'tokens are left, but fewer than the call needs',
    { scope: 'run', limit: 'tokens', cap: 10_000 },
    CALL,
    'The token budget of this run does not pay for the next call: 9500 of 10000 tokens are used, 500 are left, and the call may use up to 18000',
  ],
  [
    'all calls are used',
    { scope: 'run', limit: 'calls', cap: 3 },
    CALL,
    'The call budget of this run is spent: 3 of 3 calls are used',
  ],
  [
    'the time is over',
    { scope: 'tree', limit: 'wall', cap: 3_600_000 },
    CALL,
    'The time budget of this tree is spent: 1h00m are over',
  ],
  [
    'an answer was cut off',
    { scope: 'run', limit: 'usd', cap: 5 },
    null,
    'The dollar budget of this run did not pay for the whole answer: $4.75 of $5.00 was used before the call',
  ],
  [
    'an answer was cut off for its tokens',
    { scope: 'run', limit: 'tokens', cap: 10_000 },
    null,
    'The token budget of this run did not pay for the whole answer: 9500 of 10000 tokens were used before the call',
  ],
];

for (const [why, end, call, text] of cases)
  test(`a budget at its end: ${why}`, () => {
    assert.equal(describeExhausted({ ...end, spent }, call), text);
  });

const raises: [why: string, end: Omit<BudgetEnd, 'spent'>, raise: number | undefined][] = [
  ['what the call may cost', { scope: 'run', limit: 'usd', cap: 5 }, 1],
  [
    'what others spent past the cap, and the call',
    { scope: 'project', limit: 'usd', cap: 0.25 },
    5.5,
  ],
  [
    'tokens past the cap, and those of the call',
    { scope: 'run', limit: 'tokens', cap: 500 },
    27_000,
  ],
  ['calls past the cap, and this one', { scope: 'project', limit: 'calls', cap: 1 }, 3],
  [
    'as many calls again, if none was made past the cap',
    { scope: 'run', limit: 'calls', cap: 3 },
    undefined,
  ],
  ['nothing that is known, for time', { scope: 'run', limit: 'wall', cap: 60_000 }, undefined],
];

for (const [why, end, raise] of raises)
  test(`a spent budget needs ${why}`, () => {
    assert.equal(leastRaise({ ...end, spent }, CALL), raise);
  });
