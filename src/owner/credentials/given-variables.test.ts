import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentIdentity } from '../../attempts/choice/identity.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import { digestOf, namesFor, pinAgent } from './given-variables.ts';

const claude: AgentSpec = { id: 'claude', cli: 'claude', args: [], env: {} };
const KEY = 'tell-nobody-0123456789';
const variables = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: 'of-another', PATH: '/bin' };

describe('what a shell gives an agent', () => {
  const rows: [why: string, agent: AgentSpec, names: string[]][] = [
    [
      'the key and the address of its provider, and its login',
      claude,
      ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CONFIG_DIR'],
    ],
    [
      'what its own settings name is not asked for',
      {
        ...claude,
        env: { ANTHROPIC_BASE_URL: 'https://x.example' },
        secrets: ['ANTHROPIC_API_KEY'],
      },
      ['CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CONFIG_DIR'],
    ],
    [
      'a custom agent is known by its model',
      { ...claude, cli: 'custom', model: 'gemini-2.5-pro' },
      ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL'],
    ],
    [
      'a custom agent without a model may use every provider',
      { ...claude, cli: 'custom' },
      [
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_BASE_URL',
        'OPENAI_API_KEY',
        'OPENAI_BASE_URL',
        'GEMINI_API_KEY',
        'GOOGLE_GEMINI_BASE_URL',
      ],
    ],
    ['a scripted agent calls no model', { ...claude, cli: 'scripted' }, []],
  ];
  for (const [why, agent, names] of rows) test(why, () => assert.deepEqual(namesFor(agent), names));

  test('is pinned by its names alone', () => {
    const pinned = pinAgent(claude, { variables, isFromShell: true });
    assert.deepEqual(pinned.given, {
      names: ['ANTHROPIC_API_KEY'],
      digest: digestOf({ ANTHROPIC_API_KEY: KEY }),
    });
    assert.doesNotMatch(JSON.stringify(pinned), new RegExp(KEY));
  });

  test('makes two accounts two identities, whose limits are separate', () => {
    const identityWith = (key: string): string =>
      agentIdentity(pinAgent(claude, { variables: { ANTHROPIC_API_KEY: key }, isFromShell: true }));
    assert.notEqual(identityWith('one'), identityWith('other'));
    assert.equal(identityWith('one'), identityWith('one'));
    const none = pinAgent(claude, { variables: {}, isFromShell: true });
    assert.equal(agentIdentity(none), agentIdentity(claude));
  });

  test('is nothing if its shell has nothing, and then the keys of the owner do not count', () => {
    const { given } = pinAgent(claude, { variables: {}, isFromShell: true });
    assert.deepEqual(given, { names: [], digest: digestOf({}) });
    assert.deepEqual(pinAgent(claude, { variables: {}, isFromShell: false }), claude);
  });

  test('may be that of the owner, if the command has no shell', () => {
    const { given } = pinAgent(claude, { variables, isFromShell: false });
    assert.deepEqual(given, { names: ['ANTHROPIC_API_KEY'], digest: null });
  });
});
