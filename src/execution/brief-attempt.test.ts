/** Attempts that are given a brief: what the agent gets, and what its answer makes of the attempt. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { beginAttempt } from '../../test/support/attempt-harness.ts';
import { done, driveAttempts, settingsFor } from '../../test/support/drive-attempts.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import type { PinnedBrief } from '../protocol/pinned-settings.ts';

const brief: PinnedBrief = { role: 'reviewer', hash: 'h1', answer: 'review', allowedTools: null };
const briefs = { h1: 'Judge it. The schema has "security_concerns".' };

function agent(...args: readonly string[]) {
  return { id: 'scripted:answers-its-role', cli: 'scripted', args, env: {} };
}

test('the problem of the last answer comes before the brief, and the task is in the brief alone', () => {
  const feedback = 'Your answer could not be used:\n- status: expected one of APPROVED, REJECTED';
  const unfit = { kind: 'failed', reason: 'invalid_output', message: feedback } as const;
  const settings = settingsFor(['a'], { preset: 'step-feedback' }, { brief });
  const { prompts, inputs } = driveAttempts({ settings, attempts: [unfit, done] });
  assert.equal(prompts[0], '');
  assert.ok(prompts[1]?.includes(feedback));
  assert.ok(prompts[1]?.endsWith('\n\n'));
  assert.deepEqual(inputs[1]?.brief, brief);
});

describe('an attempt with a brief', { timeout: 300_000 }, () => {
  test('has the answer of its agent', async () => {
    await using dir = await tempDir();
    await using attempt = beginAttempt(dir.path, 'answers-its-role', { brief, briefs, prompt: '' });
    assert.deepEqual(await attempt.outcome, {
      kind: 'completed',
      summary: 'APPROVED: 0 issues',
      answer: { status: 'APPROVED', issues: [], suggestions: [], security_concerns: [] },
    });
  });

  test('puts its own prompt before the brief', async () => {
    await using dir = await tempDir();
    const wishes = {
      brief,
      briefs: { h1: 'the brief' },
      prompt: 'The schema has "security_concerns".',
    };
    await using attempt = beginAttempt(dir.path, 'answers-its-role', wishes);
    assert.equal((await attempt.outcome).kind, 'completed');
  });

  test('fails if the last answer does not fit, whatever the agent wrote before', async () => {
    await using dir = await tempDir();
    const wishes = { brief, briefs, prompt: '', agent: agent('bad') };
    await using attempt = beginAttempt(dir.path, 'answers-its-role', wishes);
    const outcome = await attempt.outcome;
    assert.ok(outcome.kind === 'failed');
    assert.equal(outcome.reason, 'invalid_output');
    assert.match(outcome.message, /^- status: expected one of APPROVED/m);
    assert.match(outcome.message, /^- the answer: unknown key "more"$/m);
  });

  test('fails with the reason of an agent that crashes without an answer', async () => {
    await using dir = await tempDir();
    const wishes = { brief, briefs, agent: { ...agent(), id: 'scripted:crashes' } };
    await using attempt = beginAttempt(dir.path, 'crashes', wishes);
    const outcome = await attempt.outcome;
    assert.deepEqual(outcome.kind === 'failed' && outcome.reason, 'crashed');
  });
});
