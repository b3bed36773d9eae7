import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runEvent } from '../../../test/support/run-event.ts';
import { isToldByKey } from './told-by-key.ts';

const ended = (key: string, command: string) =>
  runEvent({
    type: 'command.ended',
    payload: { key, command, end: { kind: 'interrupted', why: 'cancelled' } },
  });

describe('after Ctrl-C', () => {
  const cases = [
    [
      'the signal is told',
      { type: 'signal.received', payload: { signal: { kind: 'stop' } } },
      true,
    ],
    ['so is the end of a question', ended('ask-commit-1', 'ask'), true],
    [
      'and its cancellation',
      { type: 'command.cancelled', payload: { key: 'ask-commit-1', how: 'ask' } },
      true,
    ],
    [
      'that an agent is asked to exit is news',
      { type: 'command.cancelled', payload: { key: 'attempt-1', how: 'ask' } },
      false,
    ],
    ['so is the end of its attempt', ended('attempt-1', 'attempt'), false],
    [
      'and the end of the run',
      { type: 'run.ended', payload: { outcome: { kind: 'cancelled', reason: '' } } },
      false,
    ],
  ] as const;
  for (const [why, event, expected] of cases)
    test(why, () => {
      const stored = { id: 1, stream: 'run/a' as const, seq: 1, v: 1, at: 0, ...event };
      assert.equal(isToldByKey(stored as Parameters<typeof isToldByKey>[0]), expected);
    });
});
