import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallHold } from './call-hold.ts';
import { describeHeldCall, shortHeldCall } from './call-hold.ts';

const NOW = Date.parse('2026-01-01T13:45:00Z');
const HELD: CallHold = {
  model: 'claude-sonnet-5',
  cause: 'rate-limit',
  status: 429,
  heldAt: NOW,
  until: NOW + 20_000,
  message: '',
};
const WAITS = 'a model call waits until 2026-01-01T13:45:20.000Z (20s left), because';

describe('a model call that the gateway keeps back', () => {
  const rows: [why: string, more: Partial<CallHold>, words: string | null, short: string | null][] =
    [
      [
        'names the limit, its model and its end',
        {},
        `${WAITS} claude-sonnet-5 is at its rate limit (HTTP 429)`,
        'waits 20s: rate limit of claude-sonnet-5',
      ],
      [
        'quotes the provider',
        { message: 'Number of requests\nexceeded.' },
        `${WAITS} claude-sonnet-5 is at its rate limit (HTTP 429): Number of requests exceeded.`,
        'waits 20s: rate limit of claude-sonnet-5',
      ],
      [
        'has no status if the error came inside a stream',
        { cause: 'overloaded', status: 200 },
        `${WAITS} claude-sonnet-5 is overloaded`,
        'waits 20s: overload of claude-sonnet-5',
      ],
      [
        'says that no answer came',
        { cause: 'no-answer', status: null },
        `${WAITS} the provider of claude-sonnet-5 does not answer`,
        'waits 20s: no answer of claude-sonnet-5',
      ],
      ['says nothing once its time has come', { until: NOW }, null, null],
    ];
  for (const [why, more, words, short] of rows)
    test(why, () => {
      const hold = { ...HELD, ...more };
      assert.deepEqual([describeHeldCall(hold, NOW), shortHeldCall(hold, NOW)], [words, short]);
    });
});
