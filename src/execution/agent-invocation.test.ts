import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { preparedAttempt } from '../../test/support/prepared-attempt.ts';
import { agentInvocation } from './agent-invocation.ts';

const CODEX = { id: 'codex', cli: 'codex', args: [], env: {} };

/** What the agent reads, and whether its command continues the conversation. */
async function invoke(lacksConversation: boolean) {
  const given = { agent: CODEX, resume: 's1', resumePrompt: 'continue' };
  const { attempt } = await preparedAttempt(given);
  const environment = {
    ...attempt.environment,
    ...(lacksConversation ? { lacksConversation } : {}),
  };
  const { invocation, prompt } = agentInvocation({ ...attempt, environment });
  return [prompt, invocation.kind === 'run' && invocation.argv.includes('s1')];
}

describe('an attempt that continues a conversation', () => {
  test('reads only what is new in it', async () =>
    assert.deepEqual(await invoke(false), ['continue', true]));

  test('reads the whole prompt in a new one if the conversation is gone', async () =>
    assert.deepEqual(await invoke(true), ['do it', false]));
});
