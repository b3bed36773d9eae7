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
function fact(event: Parameters<typeof runEvent>[0]): StoredEvent {
  seq += 1;
  return { id: seq, stream: 'run/a', seq, v: 1, at: 0, ...runEvent(event) };
}

/** An attempt of which these reports of one window are known, each with its reset. */
function attempt(nth: number, reports: readonly (readonly [number, number])[]): StoredEvent[] {
  const key = `attempt-${nth}`;
  const input = { agent: AGENT, project: '/p', number: nth };
  const window = { name: '5h', limit: null, used: null, remaining: null };
  return [
    fact({ type: 'command.begun', payload: { key, command: 'attempt', input, limits: [] } }),
    ...reports.map(([usedPercent, resetAt]) => {
      const windows = [{ ...window, usedPercent, resetAt }];
      const note = { kind: 'quota', wire: 'anthropic', status: 'ok', windows };
      return fact({ type: 'command.noted', payload: { key, command: 'attempt', note } });
    }),
    fact({
      type: 'command.ended',
      payload: { key, command: 'attempt', end: { kind: 'interrupted' } },
    }),
  ];
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
      const stock = new QuotaStock();
      for (const [nth, reports] of attempts.entries())
        for (const event of attempt(nth + 1, reports)) stock.count(event);
      assert.equal(stock.closing(IDENTITY, now).length > 0, isClosing);
      assert.deepEqual(new QuotaStock(stock.counts()).counts(), stock.counts());
    });
});
