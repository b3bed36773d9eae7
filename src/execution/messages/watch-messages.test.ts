/** The receipt of the message in the prompt of an attempt. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { beginAttempt } from '../../../test/support/attempt-harness.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { ToldMessage } from '../../gateway/observe/told-messages.ts';
import type { Receipt } from './receipts.ts';

const MESSAGE = { id: 'aaaaaaaa', origin: 'person', text: 'turn left', at: 0 } as const;

describe('the message in the prompt of an attempt', { timeout: 300_000 }, () => {
  test('has its receipt on record before the attempt ends, also if its only call ends last', async () => {
    await using dir = await tempDir();
    const expected: ToldMessage[] = [];
    const seen = Promise.withResolvers<Receipt | null>();
    await using attempt = beginAttempt(dir.path, 'works-in-steps', {
      message: MESSAGE,
      receipts: {
        expect: (message, signal) => {
          expected.push(message);
          signal.addEventListener('abort', () => seen.resolve(null));
          return seen.promise;
        },
      },
      // The gateway reports the receipt with the end of the call, which may be after the end of the agent.
      calls: async () => {
        seen.resolve({ request: 1, times: 1 });
        return [];
      },
    });
    await attempt.outcome;
    assert.deepEqual(
      attempt.notes.filter(({ kind }) => kind === 'message-seen'),
      [{ kind: 'message-seen', message: MESSAGE.id, request: 1, times: 1 }],
    );
    assert.deepEqual([expected.length, expected[0]?.id], [1, MESSAGE.id]);
  });

  test('has none if no call with it was answered', async () => {
    await using dir = await tempDir();
    await using attempt = beginAttempt(dir.path, 'works-in-steps', {
      message: MESSAGE,
      receipts: {
        expect: (_message, signal) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve(null))),
      },
    });
    await attempt.outcome;
    assert.deepEqual(
      attempt.notes.filter(({ kind }) => kind === 'message-seen'),
      [],
    );
  });
});
