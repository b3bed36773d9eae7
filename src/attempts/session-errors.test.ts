/** Which failures of a resumed conversation are no attempt at the task. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureReason } from '../protocol/failure-reason.ts';
import { lacksConversation } from './session-errors.ts';

const CASES: readonly (readonly [string, boolean, string | null, FailureReason | null, boolean])[] =
  [
    ['a CLI refuses a conversation that it does not have', true, null, 'bad_usage', true],
    ['a crash before the agent names its conversation counts', true, null, 'crashed', false],
    ['a defect of ours before that counts', true, null, 'unknown', false],
    ['a conversation that was named did begin', true, 's', 'bad_usage', false],
    ['a new conversation can not be missing', false, null, 'bad_usage', false],
    ['an attempt without a failure is an attempt', true, null, null, false],
  ];

for (const [why, resumed, session, reason, expected] of CASES)
  test(why, () => {
    const failure = reason === null ? null : { reason };
    assert.equal(lacksConversation({ resumed, session, failure }), expected);
  });
