import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { Login } from './logins.ts';
import { loginFile, loginInEnvironment, readLogin } from './logins.ts';

const claude = { accessToken: 'oat-access', refreshToken: 'oat-refresh', expiresAt: 2000 };
const chatgpt = {
  id_token: 'id-token',
  access_token: 'access-token',
  refresh_token: 'refresh-token',
  account_id: 'account-1',
};

function webToken(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.signature`;
}

describe('a login that a CLI has stored', () => {
  const cases: [why: string, cli: string, stored: unknown, expected: Login | undefined][] = [
    [
      'of Claude goes to Anthropic as a login',
      'claude',
      { claudeAiOauth: claude },
      {
        kind: 'login',
        upstreams: {
          anthropic: {
            base: 'https://api.anthropic.com',
            credential: { kind: 'login', value: 'oat-access' },
          },
        },
        secrets: ['oat-access', 'oat-refresh'],
        expiresAt: 2000,
      },
    ],
    [
      'that has expired is reported as expired',
      'claude',
      { claudeAiOauth: { ...claude, expiresAt: 1000 } },
      { kind: 'expired' },
    ],
    [
      'of ChatGPT goes to the endpoint of its plan, with the account',
      'codex',
      { OPENAI_API_KEY: null, tokens: chatgpt },
      {
        kind: 'login',
        upstreams: {
          'openai-responses': {
            base: 'https://chatgpt.com/backend-api/codex',
            credential: { kind: 'login', value: 'access-token' },
            headers: { 'chatgpt-account-id': 'account-1' },
            without: '/v1',
          },
        },
        secrets: ['access-token', 'refresh-token', 'id-token'],
        expiresAt: null,
      },
    ],
    [
      'of Codex may be a key',
      'codex',
      { OPENAI_API_KEY: 'sk-kept' },
      {
        kind: 'login',
        upstreams: {
          'openai-responses': {
            base: 'https://api.openai.com',
            credential: { kind: 'key', value: 'sk-kept' },
          },
        },
        secrets: ['sk-kept'],
        expiresAt: null,
      },
    ],
    [
      'of ChatGPT has expired if its token says so',
      'codex',
      { tokens: { ...chatgpt, access_token: webToken({ exp: 1 }) } },
      { kind: 'expired' },
    ],
    ['may be none', 'claude', { mcpOAuth: {} }, undefined],
    ['may be missing for Codex', 'codex', { tokens: null }, undefined],
    ['may not be an object', 'codex', [1], undefined],
  ];
  for (const [why, cli, stored, expected] of cases)
    test(why, () =>
      assert.deepEqual(readLogin(cli, JSON.stringify(stored), {}, at(1500)), expected),
    );

  test('of ChatGPT says in its token when it expires', () => {
    const tokens = { ...chatgpt, access_token: webToken({ exp: 3 }) };
    const login = readLogin('codex', JSON.stringify({ tokens }), {}, at(1500));
    assert.equal(login?.kind === 'login' && login.expiresAt, 3000);
  });

  test('may be in the environment', () => {
    const login = loginInEnvironment('claude', {
      CLAUDE_CODE_OAUTH_TOKEN: 'oat',
      ANTHROPIC_BASE_URL: 'http://elsewhere',
    });
    assert.deepEqual(login, {
      kind: 'login',
      upstreams: {
        anthropic: { base: 'http://elsewhere', credential: { kind: 'login', value: 'oat' } },
      },
      secrets: ['oat'],
      expiresAt: null,
    });
    assert.equal(loginInEnvironment('codex', { CLAUDE_CODE_OAUTH_TOKEN: 'oat' }), undefined);
  });

  test('is looked for where its CLI stores it', () => {
    assert.deepEqual(
      [
        loginFile('claude', null, '/me', {}),
        loginFile('claude', null, '/me', { CLAUDE_CONFIG_DIR: '/there' }),
        loginFile('codex', '/else', '/me', { CODEX_HOME: '/there' }),
        loginFile('gemini', null, '/me', {}),
      ],
      ['/me/.claude/.credentials.json', '/there/.credentials.json', '/else/auth.json', undefined],
    );
  });
});
