import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { RunView } from './run-view.ts';
import { StatusRow, statusRow } from './status-row.ts';

describe('the reason of a state', () => {
  const hold = 'agent claude at its limit of 2';
  const wait: RunView['open'][number] = {
    key: 'wait-1',
    command: 'wait',
    begunAt: 0,
    waitReason: 'cooldown',
    waitText: 'claude is limited by its provider',
    waitUntil: 90_000,
  };
  const cases: readonly [
    why: string,
    view: RunView,
    hold: string | null,
    expected: string | null,
  ][] = [
    ['a queued run and its limit', runViewFixture(), hold, hold],
    ['a queued run that nothing holds', runViewFixture(), null, null],
    [
      'a wait, with the time that is left',
      runViewFixture({ open: [wait] }),
      null,
      'claude is limited by its provider (1m00s left)',
    ],
    [
      'a question',
      runViewFixture({
        open: [{ key: 'ask-1', command: 'ask', begunAt: 0, question: 'Go\non?' }],
      }),
      hold,
      'Go on?',
    ],
    [
      'a model call that the gateway keeps back',
      runViewFixture({
        open: [{ key: 'attempt-1', command: 'attempt', begunAt: 0 }],
        heldCall: {
          ...{ model: 'opus', cause: 'rate-limit', status: 429, message: 'Slow down.' },
          ...{ heldAt: 0, until: 50_000 },
        },
      }),
      null,
      'a model call waits until 1970-01-01T00:00:50.000Z (20s left), because opus is at its rate limit (HTTP 429): Slow down.',
    ],
    ['a pause', runViewFixture({ pausedAt: 20_000 }), hold, 'since 10s'],
    ['a stop', runViewFixture({ stopAskedAt: 1 }), hold, null],
    [
      'a gate',
      runViewFixture({
        open: [{ key: 'gate-1', command: 'gate', begunAt: 0 }],
        gate: { name: 'test', verdict: 'running' },
      }),
      null,
      'gate test',
    ],
    [
      'an end',
      runViewFixture({ endedAt: 5, outcome: { kind: 'failed', reason: 'no agent is left' } }),
      null,
      'no agent is left',
    ],
  ];
  test('a run that was resumed names the run that continues it', () => {
    const failed = { endedAt: 5, outcome: { kind: 'failed', reason: 'no agent is left' } } as const;
    const row = statusRow(runViewFixture(failed), null, 30_000, null, 'ffffffffff');
    assert.deepEqual(
      [row.reason, row.resumedAs],
      ['resumed as ffffffffff; no agent is left', 'ffffffffff'],
    );
    const done = { endedAt: 5, outcome: { kind: 'succeeded', reason: 'done' } } as const;
    const { resumedAs } = statusRow(runViewFixture(done), null, 30_000, null, 'ffffffffff');
    assert.equal(resumedAs, undefined);
  });
  for (const [why, view, held, expected] of cases)
    test(why, () => {
      const row = statusRow(view, held, 30_000);
      assert.equal(row.reason, expected);
      assert.deepEqual(StatusRow.parse(row), row);
    });
});
