import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { CliLogin } from './supported-clis.ts';
import { AGENT_CLI_FACTS } from './supported-clis.ts';
import { PRICES } from '../prices/shipped-prices.ts';
import { findPrice } from '../prices/price.ts';
import { AGENT_CLIS } from '../settings/agent-config.ts';

function known(cli: string) {
  const found = AGENT_CLI_FACTS.find((one) => one.cli === cli);
  assert.ok(found);
  return found;
}

describe('a credential file', () => {
  const files: [why: string, cli: string, content: unknown, login: CliLogin | undefined][] = [
    [
      'a subscription that renews itself',
      'claude',
      { claudeAiOauth: { accessToken: 'a', refreshToken: 'r', expiresAt: 5 } },
      { expiresAt: 5, renews: true },
    ],
    [
      'a token with an end',
      'claude',
      { claudeAiOauth: { accessToken: 'a', expiresAt: 5 } },
      { expiresAt: 5, renews: false },
    ],
    ['a file from before the logout', 'claude', { claudeAiOauth: {} }, undefined],
    ['only servers of tools', 'claude', { mcpOAuth: { x: { accessToken: 'a' } } }, undefined],
    [
      'a ChatGPT plan',
      'codex',
      { OPENAI_API_KEY: null, tokens: { access_token: 'a', refresh_token: 'r' } },
      { expiresAt: null, renews: true },
    ],
    ['a key', 'codex', { OPENAI_API_KEY: 'k' }, { expiresAt: null, renews: false }],
    ['neither plan nor key', 'codex', { OPENAI_API_KEY: null, tokens: null }, undefined],
    [
      'a Google account',
      'gemini',
      { access_token: 'a', refresh_token: 'r', expiry_date: 7 },
      { expiresAt: 7, renews: true },
    ],
    ['an account', 'copilot', { loggedInUsers: [{}] }, { expiresAt: null, renews: true }],
    ['no account', 'copilot', { loggedInUsers: [] }, undefined],
    [
      'one provider that ended and one that lasts',
      'opencode',
      { a: { type: 'oauth', expires: 3 }, b: { type: 'api', key: 'k' } },
      { expiresAt: null, renews: false },
    ],
    ['no provider', 'opencode', {}, undefined],
  ];
  for (const [why, cli, content, login] of files) {
    test(`${cli}: ${why}`, () => assert.deepEqual(known(cli).readLogin(content), login));
  }

  for (const { cli, readLogin } of AGENT_CLI_FACTS) {
    test(`${cli}: any content is read without an error`, () => {
      fc.assert(fc.property(fc.jsonValue(), (content) => void readLogin(content)));
    });
  }
});

describe('the path of a credential file', () => {
  const places: [cli: string, env: Record<string, string>, path: string][] = [
    ['claude', {}, '/home/ada/.claude/.credentials.json'],
    ['claude', { CLAUDE_CONFIG_DIR: '/c' }, '/c/.credentials.json'],
    ['codex', { CODEX_HOME: '' }, '/home/ada/.codex/auth.json'],
    ['codex', { CODEX_HOME: '/c' }, '/c/auth.json'],
    ['gemini', {}, '/home/ada/.gemini/oauth_creds.json'],
    ['copilot', { COPILOT_HOME: '/c' }, '/c/config.json'],
    ['opencode', {}, '/home/ada/.local/share/opencode/auth.json'],
    ['opencode', { XDG_DATA_HOME: '/d' }, '/d/opencode/auth.json'],
  ];
  for (const [cli, env, path] of places) {
    test(`${cli} with ${JSON.stringify(env)}`, () =>
      assert.equal(known(cli).file('/home/ada', env), path));
  }
});

test('every CLI that a user can configure is known, except scripted and custom agents', () => {
  const expected = AGENT_CLIS.filter((cli) => cli !== 'scripted' && cli !== 'custom');
  assert.deepEqual(
    AGENT_CLI_FACTS.map(({ cli }) => cli),
    expected,
  );
});

test('every model that a tested CLI calls by default has a shipped price', () => {
  const models = AGENT_CLI_FACTS.flatMap(({ defaultModels }) => defaultModels);
  assert.ok(models.length > 0);
  const unpriced = models.filter((model) => findPrice(model, PRICES.prices) === undefined);
  assert.deepEqual(unpriced, []);
});
