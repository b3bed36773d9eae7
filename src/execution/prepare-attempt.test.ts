import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preparedAttempt } from '../../test/support/prepared-attempt.ts';

test('a prepared attempt stores its notes without the secrets of its agent', async () => {
  const env = { ANTHROPIC_API_KEY: 'sk-ant-0123456789abcdefghij' };
  const agent = { id: 'scripted', cli: 'scripted', args: [], env };
  const { attempt, notes } = await preparedAttempt({ agent });
  await attempt.context.note({ kind: 'session', session: `s ${env.ANTHROPIC_API_KEY}` });
  const [note] = notes;
  assert.ok(note?.kind === 'session');
  assert.match(note.session, /^s /);
  assert.doesNotMatch(note.session, /0123456789/);
});
