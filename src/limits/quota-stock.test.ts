import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runEvent } from '../../test/support/run-event.ts';
import type { StoredEvent } from '../protocol/event.ts';
import { agentIdentity } from '../attempts/choice/identity.ts';
import { QuotaStock } from './quota-stock.ts';

const AGENT = { id: 'claude', cli: 'claude', args: [], env: {}, model: null };
const IDENTITY = agentIdentity(AGENT);
const RESET = 10_000;

let seq = 0;
function fact(event: Parameters<typeof runEvent>[0], at = 0): StoredEvent {
  seq += 1;
  return { id: seq, stream: 'run/a', seq, v: 1, at, ...runEvent(event) };
}

const begins = (nth: number, at = 0): StoredEvent => {
  const input = { agent: AGENT, project: '/p', number: nth };
  const payload = { key: `attempt-${nth}`, command: 'attempt', input, limits: [] };
  return fact({ type: 'command.begun', payload }, at);
};
const reports = (nth: number, usedPercent: number, at = 0, resetAt = RESET): StoredEvent => {
  const windows = [{ name: '5h', limit: null, used: null, remaining: null, usedPercent, resetAt }];
  const note = { kind: 'quota', wire: 'anthropic', status: 'ok', windows };
  const payload = { key: `attempt-${nth}`, command: 'attempt', note };
  return fact({ type: 'command.noted', payload }, at);
};
const ends = (nth: number): StoredEvent => {
  const payload = { key: `attempt-${nth}`, command: 'attempt', end: { kind: 'interrupted' } };
  return fact({ type: 'command.ended', payload });
};

/** An attempt of which these reports of one window are known, each with its reset. */
function attempt(nth: number, seen: readonly (readonly [number, number])[]): StoredEvent[] {
  return [
    begins(nth),
    ...seen.map(([usedPercent, resetAt]) => reports(nth, usedPercent, 0, resetAt)),
    ends(nth),
  ];
}

function stockOf(events: readonly StoredEvent[]): QuotaStock {
  const stock = new QuotaStock();
  for (const event of events) stock.count(event);
  return stock;
}

describe('the window of an agent', () => {
  type Row = readonly [
    why: string,
    attempts: readonly (readonly (readonly [number, number])[])[],
    now: number,
    isClosing: boolean,
  ];
  const rows: readonly Row[] = [
    ['that was never reported holds any work', [[]], 0, false],
    ['that is used up holds none', [[[100, RESET]]], 0, true],
    ['that is nearly used up holds an attempt of unknown size', [[[95, RESET]]], 0, false],
    ['holds no attempt that would use more than is left', [[[70, RESET]], [[85, RESET]]], 0, true],
    ['holds one that uses less', [[[70, RESET]], [[75, RESET]]], 0, false],
    ['is open again after its reset', [[[100, RESET]]], RESET, false],
    ['says nothing about an attempt across a reset', [[[10, 5000]], [[90, RESET]]], 0, false],
    [
      'is judged by the last attempts more than by the first',
      [[[10, RESET]], [[50, RESET]], [[51, RESET]], [[52, RESET]], [[85, RESET]]],
      ...([0, true] as const),
    ],
  ];
  for (const [why, attempts, now, isClosing] of rows)
    test(why, () => {
      const stock = stockOf(attempts.flatMap((seen, nth) => attempt(nth + 1, seen)));
      assert.equal(stock.closing(IDENTITY, 0, now).length > 0, isClosing);
      assert.deepEqual(new QuotaStock(stock.counts()).counts(), stock.counts());
    });

  test('is closed for one more when others are under way, or about to begin, that will fill it', () => {
    const known = [...attempt(1, [[85, RESET]]), ...attempt(2, [[90, RESET]])];
    const others = (count: number): readonly (number | undefined)[] =>
      stockOf(known)
        .closing(IDENTITY, count, 0)
        .map((one) => one.others);
    assert.deepEqual([others(0), others(1)], [[], [1]]);
    const busy = stockOf([...known, begins(3)]);
    const stored = new QuotaStock(busy.counts());
    for (const stock of [busy, stored])
      assert.deepEqual(
        stock.closing(IDENTITY, 0, 0).map((one) => one.others),
        [1],
      );
    // What an attempt has used already is not counted twice.
    const lower = [...attempt(1, [[83, RESET]]), ...attempt(2, [[88, RESET]])];
    const nearlyDone = stockOf([...lower, begins(3), reports(3, 92)]);
    assert.deepEqual(nearlyDone.closing(IDENTITY, 0, 0), []);
  });

  const learned = (events: readonly StoredEvent[]): unknown =>
    stockOf(events).counts().windows[IDENTITY]?.['5h']?.perAttempt;

  test('charges attempts at the same time with a part each', () => {
    const known = attempt(1, [[10, RESET]]);
    const both = [begins(2), begins(3), reports(2, 20), reports(3, 30), ends(2), ends(3)];
    assert.equal(learned([...known, ...both]), 10);
  });

  test('does not charge an attempt with what was used hours before it', () => {
    const [hour, reset] = [3_600_000, 36_000_000];
    const first = [begins(1), reports(1, 10, 0, reset), ends(1)];
    const later = [begins(2, hour), reports(2, 70, hour, reset), reports(2, 74, hour, reset)];
    assert.equal(learned([...first, ...later, ends(2)]), 4);
  });
});

test('a window that is open counts what attempts under way will still use, until its reset', () => {
  const seen = attempt(1, [
    [10, RESET],
    [30, RESET],
  ]);
  const whole = { perAttempt: 20, resetAt: RESET };
  assert.deepEqual(stockOf(seen).open(IDENTITY, 0), [{ ...whole, usedPercent: 30 }]);
  const stock = stockOf([...seen, begins(2), reports(2, 35)]);
  assert.deepEqual(stock.open(IDENTITY, 0), [{ ...whole, usedPercent: 35 + 15 }]);
  assert.deepEqual(stock.open(IDENTITY, RESET), []);
  assert.deepEqual(stock.open('another', 0), []);
});
