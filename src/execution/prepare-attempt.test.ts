import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  ATTEMPT_PORTS,
  ATTEMPT_REQUEST,
  preparedAttempt,
} from '../../test/support/prepared-attempt.ts';
import { Refusal } from '../base/errors.ts';
import { prepareAttempt } from './prepare-attempt.ts';

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

test('an attempt is stopped if a person ends the run while its workspace is prepared', async () => {
  for (const way of ['cancel', 'kill'] as const) {
    const [cancel, kill] = [new AbortController(), new AbortController()];
    const preparing = prepareAttempt(
      ATTEMPT_REQUEST,
      { cancelSignal: cancel.signal, killSignal: kill.signal, note: async () => {} },
      {
        ...ATTEMPT_PORTS,
        environmentFor: async (_request, _input, _note, signal) => {
          if (!signal.aborted) await once(signal, 'abort');
          throw new Refusal({ code: 'workspace.interrupted', message: 'Cancelled.' });
        },
      },
    );
    (way === 'cancel' ? cancel : kill).abort();
    assert.deepEqual(await preparing, { kind: 'stopped' }, way);
  }
});

test('an interruption that no person asked for is a failure', async () => {
  const { signal } = new AbortController();
  const outcome = await prepareAttempt(
    ATTEMPT_REQUEST,
    { cancelSignal: signal, killSignal: signal, note: async () => {} },
    {
      ...ATTEMPT_PORTS,
      environmentFor: () =>
        Promise.reject(new Refusal({ code: 'workspace.interrupted', message: 'Cancelled.' })),
    },
  );
  assert.equal(outcome.kind, 'failed');
});
