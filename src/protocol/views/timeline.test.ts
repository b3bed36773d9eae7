import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runEvent } from '../../../test/support/run-event.ts';
import type { TimelineBar } from './timeline.ts';
import { foldTimeline } from './timeline.ts';

const attempt = {
  type: 'command.begun',
  payload: { key: 'attempt-1', command: 'attempt', input: { agent: { id: 'claude' }, number: 1 } },
};
const ended = (command: string, end: object): object => ({
  type: 'command.ended',
  payload: { key: 'attempt-1', command, end },
});
const done = (result: object): object => ended('attempt', { kind: 'done', result });

function bars(events: readonly object[]): readonly TimelineBar[] {
  return events.reduce<readonly TimelineBar[]>((before, one, place) => {
    const head = { id: place, seq: place + 1, stream: 'run/x', v: 1, at: place * 10 };
    return foldTimeline(before, { ...head, ...runEvent(one as never) });
  }, []);
}

describe('a bar of the timeline', () => {
  const cases: [why: string, events: readonly object[], expected: readonly unknown[]][] = [
    ['is open while its command is', [attempt], ['claude', null, 'open', '']],
    [
      'is good if the agent is done',
      [attempt, done({ kind: 'completed' })],
      ['claude', 10, 'good', 'completed'],
    ],
    [
      'shows a limit of the provider',
      [attempt, done({ kind: 'failed', reason: 'rate_limited', failure: { type: 'rate_limit' } })],
      ['claude', 10, 'limit', 'rate limited'],
    ],
    [
      'is bad if the agent failed',
      [attempt, done({ kind: 'failed', reason: 'crashed' })],
      ['claude', 10, 'bad', 'crashed'],
    ],
    [
      'is lost with its owner',
      [attempt, ended('attempt', { kind: 'interrupted' })],
      ['claude', 10, 'lost', 'its owner ended'],
    ],
  ];
  for (const [why, events, expected] of cases)
    test(why, () => {
      const [bar, ...others] = bars(events);
      assert.deepEqual([bar?.label, bar?.endedAt, bar?.mark, bar?.note], expected);
      assert.deepEqual(others, []);
    });
  test('does not stand for commands that take no time', () => {
    const check = { ...attempt, payload: { ...attempt.payload, command: 'check-availability' } };
    assert.deepEqual(bars([check]), []);
  });
});
