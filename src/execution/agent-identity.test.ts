import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildChain } from '../attempts/choice/chain.ts';
import { agentAccount, agentIdentity } from '../attempts/choice/identity.ts';
import { withoutSecrets } from './environments/agent-secrets.ts';

type Env = Readonly<Record<string, string>>;
const agent = (id: string, env: Env) => ({ id, cli: 'claude', args: [], env, model: 'sonnet' });

describe('D5: agents of one CLI', () => {
  const cases: [why: string, one: Env, other: Env, same: boolean][] = [
    ['with other keys', { ANTHROPIC_API_KEY: 'a' }, { ANTHROPIC_API_KEY: 'b' }, false],
    ['one of which has its own key', {}, { ANTHROPIC_API_KEY: 'b' }, false],
    [
      'with other addresses',
      { ANTHROPIC_BASE_URL: 'http://a' },
      { ANTHROPIC_BASE_URL: 'http://b' },
      false,
    ],
    [
      'with other logins',
      { CLAUDE_CODE_OAUTH_TOKEN: 'a' },
      { CLAUDE_CODE_OAUTH_TOKEN: 'b' },
      false,
    ],
    ['with other regions', { AWS_REGION: 'us-east-1' }, { AWS_REGION: 'eu-west-1' }, false],
    [
      'with an address under an unknown name',
      { MY_MODEL: 'https://a' },
      { MY_MODEL: 'https://b' },
      false,
    ],
    ['with other switches', { DEBUG: '1' }, { DEBUG: '2' }, true],
    ['with the same key', { ANTHROPIC_API_KEY: 'a' }, { ANTHROPIC_API_KEY: 'a' }, true],
    [
      'with the same address, written differently',
      { ANTHROPIC_BASE_URL: 'http://a/' },
      { ANTHROPIC_BASE_URL: 'http://a' },
      true,
    ],
    [
      'whose variables have another order',
      { A_KEY: '1', B_KEY: '2' },
      { B_KEY: '2', A_KEY: '1' },
      true,
    ],
  ];
  for (const [why, one, other, same] of cases)
    test(`${why} are ${same ? 'one identity' : 'two identities'}, pinned or not`, () => {
      const [a, b] = [agent('a', one), agent('b', other)];
      assert.equal(agentIdentity(a) === agentIdentity(b), same);
      assert.equal(agentIdentity(withoutSecrets(a)), agentIdentity(a));
      assert.equal(agentIdentity(withoutSecrets(b)), agentIdentity(b));
      const chain = buildChain({ agents: [a, b], order: 'as-listed', fallbacks: {} }, null);
      assert.deepEqual(chain, same ? ['a'] : ['a', 'b']);
    });

  test('differ by a hash, never by the key itself', () => {
    const env = {
      ANTHROPIC_API_KEY: 'sk-ant-very-secret',
      ANTHROPIC_BASE_URL: 'http://inside.test',
    };
    assert.match(agentAccount(env), /^[0-9a-f]{12}$/);
    assert.doesNotMatch(agentIdentity(agent('a', env)), /very-secret|inside/);
    assert.doesNotMatch(JSON.stringify(withoutSecrets(agent('a', env))), /very-secret/);
  });

  test('without keys and addresses have the identity that they always had', () =>
    assert.equal(agentIdentity(agent('a', {})), 'claude::::::sonnet'));
});

test('two custom agents whose files differ are two, and without files nothing changes', () => {
  const agent = { cli: 'custom', command: ['tool'], args: [] };
  const of = (files: Readonly<Record<string, string>>) => agentIdentity({ ...agent, files });
  assert.notEqual(of({ a: '1' }), of({ a: '2' }));
  assert.equal(of({ a: '1', b: '2' }), of({ b: '2', a: '1' }));
  assert.equal(of({}), agentIdentity(agent));
});
