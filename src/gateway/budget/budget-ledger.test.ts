import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { at } from '../../base/clock.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { admitCall, costWith, NO_CAPS, NO_USAGE, openLedger } from './budget-ledger.ts';
import { reserveCall, settleCall } from './budget-ledger.ts';
import type { CallEstimate, BudgetCaps, BudgetUsage } from './budget-ledger.ts';
import { CallSlots } from '../calls/call-slots.ts';
import { OutputEstimates } from './output-estimates.ts';
import { BudgetPool, reserveIn } from './budget-pool.ts';

/** It reads 20 tokens for $0.10 and writes up to 80 for $0.40. */
const call: CallEstimate = {
  inputTokens: 20,
  outputTokens: 80,
  outputTokensMin: 40,
  usd: { input: 0.1, outputToken: 0.005 },
};
const whole = costWith(call, 80);

function ledger(
  caps: Partial<BudgetCaps>,
  spent: Partial<BudgetUsage> = {},
  reserved: Partial<BudgetUsage> = {},
) {
  const opened = openLedger({ ...NO_CAPS, ...caps }, at(1000), { ...NO_USAGE, ...spent });
  return { ...opened, reserved: { ...NO_USAGE, ...reserved } };
}

function exhausted(limit: string, because = 'spent'): object {
  return { kind: 'exhausted', limit, because };
}

describe('a call', () => {
  const cases: [why: string, given: ReturnType<typeof ledger>, now: number, answer: object][] = [
    [
      'without caps always starts',
      ledger({}, { tokens: 1e9, usd: 1e9, calls: 1e9 }),
      1e12,
      { kind: 'admitted', outputTokens: 80 },
    ],
    [
      'starts if there is room for all of it',
      ledger({ tokens: 1000, usd: 1 }, { tokens: 900, usd: 0.4 }),
      1000,
      { kind: 'admitted', outputTokens: 80 },
    ],
    [
      'gets a shorter answer if less is left',
      ledger({ tokens: 1000 }, { tokens: 930 }),
      1000,
      { kind: 'admitted', outputTokens: 50, lowered: 'tokens' },
    ],
    [
      'gets an answer as long as the remaining money pays for',
      ledger({ usd: 1 }, { usd: 0.65 }),
      1000,
      { kind: 'admitted', outputTokens: 49, lowered: 'usd' },
    ],
    [
      'does not start if too little is left for an answer',
      ledger({ usd: 1 }, { usd: 0.75 }),
      1000,
      exhausted('usd'),
    ],
    [
      'does not start if not even its input can be paid for',
      ledger({ usd: 1 }, { usd: 0.95 }),
      1000,
      exhausted('usd'),
    ],
    [
      'waits, rather than getting a shorter answer, while other calls hold a reservation',
      ledger({ tokens: 1000 }, { tokens: 800 }, { tokens: 130, calls: 1 }),
      1000,
      { kind: 'wait', limit: 'tokens' },
    ],
    [
      'does not start at the cap',
      ledger({ tokens: 1000 }, { tokens: 1000 }),
      1000,
      exhausted('tokens'),
    ],
    [
      'does not start once the money is spent',
      ledger({ usd: 5 }, { usd: 5 }),
      1000,
      exhausted('usd'),
    ],
    [
      'does not start after the last allowed call',
      ledger({ calls: 3 }, { calls: 3 }),
      1000,
      exhausted('calls'),
    ],
    [
      'starts a moment before the time is up',
      ledger({ wallMs: 500 }),
      1499,
      { kind: 'admitted', outputTokens: 80 },
    ],
    ['does not start when the time is up', ledger({ wallMs: 500 }), 1500, exhausted('wall')],
    [
      'waits while other calls hold what is left',
      ledger({ tokens: 1000 }, { tokens: 900 }, { tokens: 100 }),
      1000,
      { kind: 'wait', limit: 'tokens' },
    ],
    [
      'does not wait if the budget is already spent',
      ledger({ tokens: 1000, calls: 9 }, { tokens: 900, calls: 9 }, { tokens: 100 }),
      1000,
      exhausted('calls'),
    ],
  ];
  for (const [why, given, now, expected] of cases)
    test(why, () => assert.deepEqual(admitCall(given, call, at(now)), expected));

  test('without a price does not start if money is capped', () => {
    const unpriced = { ...call, usd: null };
    assert.deepEqual(
      admitCall(ledger({ usd: 5 }), unpriced, at(1000)),
      exhausted('usd', 'price-unknown'),
    );
    assert.equal(admitCall(ledger({ tokens: 500 }), unpriced, at(1000)).kind, 'admitted');
  });

  test('that never reached its provider costs nothing', () => {
    const before = ledger({ calls: 3 });
    const held = reserveCall(before, whole);
    assert.deepEqual(settleCall(held, whole, null), before);
  });
});

/** Checks the promise of the ledger against plain sums over everything that happened. */
test('with any number of calls side by side, spent + reserved never passes the cap', () => {
  const estimate = fc.record({
    inputTokens: fc.nat(100),
    outputTokens: fc.integer({ min: 1, max: 300 }),
    used: fc.nat(400),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.array(estimate, { minLength: 20, maxLength: 60 }),
      fc.infiniteStream(fc.nat(19)),
      (cap, calls, random) => {
        const draws = random[Symbol.iterator]();
        let ledgerState = openLedger({ ...NO_CAPS, tokens: cap }, at(0));
        const waiting = [...calls];
        const open: { readonly reserved: number; readonly paid: number }[] = [];
        let [spent, isOver] = [0, false];
        while (!isOver && (waiting.length > 0 || open.length > 0)) {
          const [next] = waiting;
          const answer =
            next === undefined || open.length >= 20
              ? undefined
              : admitCall(ledgerState, { ...next, outputTokensMin: 1, usd: null }, at(0));
          if (next !== undefined && answer?.kind === 'admitted') {
            const reserved = next.inputTokens + answer.outputTokens;
            ledgerState = reserveCall(ledgerState, { tokens: reserved, usd: 0 });
            open.push({ reserved, paid: Math.min(reserved, next.used) });
            waiting.shift();
            const held = open.reduce((sum, one) => sum + one.reserved, 0);
            assert.ok(spent + held <= cap, `${spent} + ${held} of ${cap}`);
            continue;
          }
          if (answer?.kind === 'exhausted') waiting.shift();
          if (answer?.kind === 'wait') assert.ok(open.length > 0, 'it waits for another');
          const [ended] = open.splice((draws.next().value ?? 0) % Math.max(1, open.length), 1);
          isOver = ended === undefined && waiting.length === 0;
          if (ended === undefined) continue;
          spent += ended.paid;
          const [reserved, paid] = [ended.reserved, ended.paid].map((tokens) => ({
            tokens,
            usd: 0,
          }));
          if (reserved && paid) ledgerState = settleCall(ledgerState, reserved, paid);
        }
        assert.ok(spent <= cap);
        assert.deepEqual([ledgerState.spent.tokens, ledgerState.reserved], [spent, NO_USAGE]);
      },
    ),
  );
});

describe('several budget pools', () => {
  test('grant all or nothing, and the empty pool is named', async () => {
    const clock = new ManualClock();
    const { signal } = new AbortController();
    const run = new BudgetPool('run', NO_CAPS, at(0));
    const tree = new BudgetPool('tree', { ...NO_CAPS, calls: 1 }, at(0));
    const first = await reserveIn([run, tree], call, clock, signal);
    assert.ok(first.kind === 'reserved');
    first.settle(whole);
    const second = await reserveIn([run, tree], call, clock, signal);
    assert.deepEqual(second, { kind: 'exhausted', limit: 'calls', because: 'spent', pool: tree });
    assert.deepEqual(run.ledger.reserved, NO_USAGE);
    assert.deepEqual(run.ledger.spent, { tokens: 100, usd: 0.5, calls: 1 });
  });

  test('make a call wait until another settles for less, or disconnects', async () => {
    const clock = new ManualClock();
    const disconnected = new AbortController();
    const pool = new BudgetPool('run', { ...NO_CAPS, tokens: 100 }, at(0));
    const first = await reserveIn([pool], call, clock, disconnected.signal);
    const second = reserveIn([pool], call, clock, new AbortController().signal);
    const third = reserveIn([pool], call, clock, disconnected.signal);
    disconnected.abort();
    assert.deepEqual(await third, { kind: 'called-off' });
    assert.ok(first.kind === 'reserved');
    first.settle({ tokens: 10, usd: 0 });
    assert.equal((await second).kind, 'reserved');
  });
});

test('slots are given in order, and a caller that disconnects takes none', async () => {
  const slots = new CallSlots(1);
  const { signal } = new AbortController();
  const first = await slots.take(signal);
  const disconnected = new AbortController();
  const [second, third] = [slots.take(disconnected.signal), slots.take(signal)];
  assert.equal(slots.waiting, 2);
  disconnected.abort();
  assert.equal(await second, undefined);
  first?.[Symbol.dispose]();
  first?.[Symbol.dispose](); // a second disposal releases nothing more
  assert.notEqual(await third, undefined);
  const fourth = slots.take(signal);
  assert.equal(slots.waiting, 1);
  (await third)?.[Symbol.dispose]();
  assert.notEqual(await fourth, undefined);
});

test('the output estimate of a model rises quickly and falls slowly', () => {
  const sizes = new OutputEstimates();
  const estimates = [sizes.expect('m', undefined), sizes.expect('m', 100)];
  for (const tokens of [10_000, 100, 100]) sizes.learn('m', tokens);
  assert.deepEqual(
    [...estimates, sizes.expect('m', undefined), sizes.expect('other', undefined)],
    [4000, 100, 8100, 4000],
  );
});
