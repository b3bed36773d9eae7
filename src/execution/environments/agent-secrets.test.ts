import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { agentAccount } from '../../attempts/choice/identity.ts';
import { findSecrets, agentRedactor, secretValues, withoutSecrets } from './agent-secrets.ts';

const env = { PLAIN: 'yes', MY_TOKEN: 'tell-nobody' };

describe('the secrets of an agent', () => {
  test('are written down by their names alone', () => {
    assert.deepEqual(withoutSecrets({ id: 'mine', env }), {
      id: 'mine',
      env: { PLAIN: 'yes' },
      secrets: ['MY_TOKEN'],
      account: agentAccount(env),
    });
    assert.deepEqual(withoutSecrets({ env: { PLAIN: 'yes' } }), { env: { PLAIN: 'yes' } });
  });

  const agent = { id: 'mine', secrets: ['MY_TOKEN'] };
  test('are looked up in the configuration, then in the environment', () => {
    assert.deepEqual(findSecrets(agent, env, { MY_TOKEN: 'other' }), { MY_TOKEN: 'tell-nobody' });
    assert.deepEqual(findSecrets(agent, undefined, { MY_TOKEN: 'other' }), { MY_TOKEN: 'other' });
    assert.deepEqual(findSecrets({ id: 'mine' }, env, {}), {});
  });

  test('that no longer exist are named', () => {
    assert.throws(
      () => findSecrets(agent, {}, {}),
      (error) => isRefusal(error, 'agent.keys-missing') && /MY_TOKEN/.test(error.message),
    );
  });

  test('are the values that must not be stored, with those that the run has pinned', () => {
    assert.deepEqual(secretValues({ env }), ['tell-nobody']);
    assert.deepEqual(secretValues({ env: { ODD: 'by-name-only' }, secrets: ['ODD'] }), [
      'by-name-only',
    ]);
  });

  test('are refused if they are too long to search for', () => {
    const long = Array.from({ length: 30_000 }, (_, at) => (at * 7919).toString(36)).join('');
    assert.throws(
      () => agentRedactor([long]),
      (error) => isRefusal(error, 'agent.secrets-unusable'),
    );
  });
});
