import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { at } from '../base/clock.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { admitCall, NO_CAPS, NOTHING, openLedger, settleCall } from './budget.ts';
import type { Admission, CallCost, Caps, Spent } from './budget.ts';
import { CallSlots } from './call-slots.ts';
import { OutputSizes } from './output-sizes.ts';
import { Purse, reserveIn } from './purse.ts';

const call: CallCost = { tokens: 100, usd: 0.5 };

function ledger(caps: Partial<Caps>, spent: Partial<Spent> = {}, reserved: Partial<Spent> = {}) {
  const opened = openLedger({ ...NO_CAPS, ...caps }, at(1000), { ...NOTHING, ...spent });
  return { ...opened, reserved: { ...NOTHING, ...reserved } };
}

function exhausted(limit: string, because = 'spent'): object {
  return { kind: 'exhausted', limit, because };
}

describe('a call', () => {
  const cases: [why: string, given: ReturnType<typeof ledger>, now: number, answer: object][] = [
    ['without caps always starts', ledger({}, { tokens: 1e9, usd: 1e9, calls: 1e9 }), 1e12, {}],
    [
      'starts below the cap, though it may end above it',
      ledger({ tokens: 1000 }, { tokens: 999 }),
      1000,
      {},
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
      'does not start after the last one',
      ledger({ calls: 3 }, { calls: 3 }),
      1000,
      exhausted('calls'),
    ],
    ['starts a moment before the time is up', ledger({ wallMs: 500 }), 1499, {}],
    ['does not start when the time is up', ledger({ wallMs: 500 }), 1500, exhausted('wall')],
    [
      'waits while others hold what is left',
      ledger({ tokens: 1000 }, { tokens: 900 }, { tokens: 100 }),
      1000,
      { kind: 'wait', limit: 'tokens' },
    ],
    [
      'does not wait for what is spent already',
      ledger({ tokens: 1000, calls: 9 }, { tokens: 900, calls: 9 }, { tokens: 100 }),
      1000,
      exhausted('calls'),
    ],
  ];
  for (const [why, given, now, expected] of cases)
    test(why, () => {
      const answer = admitCall(given, call, at(now));
      if (answer.kind === 'admitted') assert.deepEqual(expected, {});
      else assert.deepEqual(answer, expected);
    });

  test('without a price does not start where money is counted', () => {
    const unpriced = { tokens: 1, usd: null };
    assert.deepEqual(
      admitCall(ledger({ usd: 5 }), unpriced, at(1000)),
      exhausted('usd', 'price-unknown'),
    );
    assert.equal(admitCall(ledger({ tokens: 5 }), unpriced, at(1000)).kind, 'admitted');
  });

  test('that never reached its provider costs nothing', () => {
    const before = ledger({ calls: 3 });
    const admitted = admitCall(before, call, at(1000));
    assert.ok(admitted.kind === 'admitted');
    assert.deepEqual(settleCall(admitted.ledger, call, null), before);
  });
});

/** What the ledger promises, held against plain sums over everything that happened. */
test('with any number of calls side by side, none starts once spent + reserved has reached the cap', () => {
  const cost = fc.record({
    estimate: fc.integer({ min: 1, max: 300 }),
    actual: fc.integer({ min: 0, max: 500 }),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.array(cost, { minLength: 20, maxLength: 60 }),
      fc.infiniteStream(fc.nat(19)),
      (cap, calls, luck) => {
        const draws = luck[Symbol.iterator]();
        let book = openLedger({ ...NO_CAPS, tokens: cap }, at(0));
        const waiting = [...calls];
        const open: typeof calls = [];
        let [spent, stuck] = [0, false];
        while (!stuck && (waiting.length > 0 || open.length > 0)) {
          const next = waiting[0];
          const answer: Admission | undefined =
            next === undefined || open.length >= 20
              ? undefined
              : admitCall(book, { tokens: next.estimate, usd: 0 }, at(0));
          const reserved = open.reduce((sum, { estimate }) => sum + estimate, 0);
          if (next !== undefined && answer?.kind === 'admitted') {
            assert.ok(spent + reserved < cap, `${spent} + ${reserved} of ${cap}`);
            book = answer.ledger;
            open.push(next);
            waiting.shift();
            continue;
          }
          if (answer?.kind === 'exhausted') assert.ok(spent >= cap);
          const [ended] = open.splice((draws.next().value ?? 0) % Math.max(1, open.length), 1);
          if (ended === undefined) stuck = true;
          else {
            spent += ended.actual;
            book = settleCall(
              book,
              { tokens: ended.estimate, usd: 0 },
              { tokens: ended.actual, usd: 0 },
            );
          }
        }
        // A call is left waiting for ever only when there is really nothing left.
        assert.ok(waiting.length === 0 || spent >= cap);
        assert.deepEqual(book.spent.tokens, spent);
        assert.deepEqual(book.reserved, NOTHING);
      },
    ),
  );
});

describe('several purses', () => {
  test('give all or nothing, and the one that is empty is named', async () => {
    const clock = new ManualClock();
    const { signal } = new AbortController();
    const run = new Purse('run', NO_CAPS, at(0));
    const tree = new Purse('tree', { ...NO_CAPS, calls: 1 }, at(0));
    const first = await reserveIn([run, tree], call, clock, signal);
    assert.ok(first.kind === 'reserved');
    first.settle(call);
    const second = await reserveIn([run, tree], call, clock, signal);
    assert.deepEqual(second, { kind: 'exhausted', limit: 'calls', because: 'spent', purse: tree });
    assert.deepEqual(run.ledger.reserved, NOTHING);
    assert.deepEqual(run.ledger.spent, { tokens: 100, usd: 0.5, calls: 1 });
  });

  test('let a call wait until another settles for less, or leaves', async () => {
    const clock = new ManualClock();
    const left = new AbortController();
    const purse = new Purse('run', { ...NO_CAPS, tokens: 100 }, at(0));
    const first = await reserveIn([purse], call, clock, left.signal);
    const second = reserveIn([purse], call, clock, new AbortController().signal);
    const third = reserveIn([purse], call, clock, left.signal);
    left.abort();
    assert.deepEqual(await third, { kind: 'called-off' });
    assert.ok(first.kind === 'reserved');
    first.settle({ tokens: 10, usd: 0 });
    assert.equal((await second).kind, 'reserved');
  });
});

test('slots are given in order, and a caller that leaves takes none', async () => {
  const slots = new CallSlots(1);
  const { signal } = new AbortController();
  const first = await slots.take(signal);
  const left = new AbortController();
  const [second, third] = [slots.take(left.signal), slots.take(signal)];
  assert.equal(slots.waiting, 2);
  left.abort();
  assert.equal(await second, undefined);
  first?.[Symbol.dispose]();
  first?.[Symbol.dispose](); // a second time gives nothing more away
  assert.notEqual(await third, undefined);
  const fourth = slots.take(signal);
  assert.equal(slots.waiting, 1);
  (await third)?.[Symbol.dispose]();
  assert.notEqual(await fourth, undefined);
});

test('what a model writes is learnt quickly upward and slowly downward', () => {
  const sizes = new OutputSizes();
  const said = [sizes.expect('m', undefined), sizes.expect('m', 100)];
  for (const tokens of [10_000, 100, 100]) sizes.learn('m', tokens);
  assert.deepEqual(
    [...said, sizes.expect('m', undefined), sizes.expect('other', undefined)],
    [4000, 100, 8100, 4000],
  );
});
