import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { CallAbout } from '../../gateway/gateway-facts.ts';
import { HeldCalls } from './note-held-call.ts';

const call: CallAbout = {
  number: 3,
  wire: 'anthropic',
  kind: 'main',
  conversation: 'conversation-1',
  model: 'claude-sonnet-5',
};
const refusal = {
  cause: 'rate-limit',
  status: 429,
  type: 'rate_limit_error',
  message: 'Slow down, key-1.',
  retryAt: at(21_000),
} as const;
const held = { kind: 'call-held', at: at(1000), call, refusal, waitMs: 20_000 } as const;
const clean = (text: string): string => text.replaceAll('key-1', '[redacted]');

describe('a model call that is held', () => {
  const note = {
    kind: 'call-held',
    model: 'claude-sonnet-5',
    cause: 'rate-limit',
    status: 429,
    heldAt: 1000,
    until: 21_000,
    message: 'Slow down, [redacted].',
  };
  const rows: [why: string, fact: Parameters<HeldCalls['note']>[0], note: object | undefined][] = [
    ['is noted with its limit and its end, without secrets', held, note],
    ['is not noted if the wait is too short to read about it', { ...held, waitMs: 800 }, undefined],
    [
      'is noted if no answer came',
      { ...held, refusal: null, waitMs: 3000 },
      { ...note, cause: 'no-answer', status: null, until: 4000, message: '' },
    ],
    [
      'is noted with trouble of the provider',
      { ...held, refusal: { ...refusal, cause: 'server-error', status: 500 } },
      { ...note, cause: 'trouble', status: 500 },
    ],
  ];
  for (const [why, fact, expected] of rows)
    test(why, () => assert.deepEqual(new HeldCalls().note(fact, clean), expected));

  test('is noted a bounded number of times', () => {
    const calls = new HeldCalls();
    const notes = Array.from({ length: 2000 }, () => calls.note(held, clean));
    assert.equal(notes.filter((one) => one !== undefined).length, 500);
  });
});
