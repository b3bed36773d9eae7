import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Upstreams } from './upstreams.ts';
import { missingKeys, upstreamsFor, upstreamsFromEnv } from './upstreams.ts';

const key = (value: string) => ({ kind: 'key', value }) as const;

describe('the providers of an environment', () => {
  const cases: [why: string, env: Record<string, string>, expected: Upstreams][] = [
    ['are none without a key', { PATH: '/bin', ANTHROPIC_BASE_URL: 'http://localhost:1' }, {}],
    ['are none for an empty key', { ANTHROPIC_API_KEY: '' }, {}],
    [
      'have their default addresses',
      { ANTHROPIC_API_KEY: 'a', GEMINI_API_KEY: 'g' },
      {
        anthropic: { base: 'https://api.anthropic.com', credential: key('a') },
        gemini: { base: 'https://generativelanguage.googleapis.com', credential: key('g') },
      },
    ],
    [
      'have the configured address, on every wire',
      { OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'http://localhost:2/v1/' },
      {
        'openai-responses': { base: 'http://localhost:2', credential: key('o') },
        'openai-chat': { base: 'http://localhost:2', credential: key('o') },
      },
    ],
  ];
  for (const [why, env, expected] of cases)
    test(why, () => assert.deepEqual(upstreamsFromEnv(env), expected));
});

test('a CLI that cannot reach a model gets the names of the missing keys', () => {
  const upstreams = upstreamsFromEnv({ OPENAI_API_KEY: 'o' });
  assert.deepEqual(
    ['claude', 'codex', 'gemini', 'copilot'].map((cli) => missingKeys(cli, upstreams)),
    [['ANTHROPIC_API_KEY'], [], ['GEMINI_API_KEY'], []],
  );
  assert.deepEqual(missingKeys('custom', {}), []);
  assert.deepEqual(missingKeys('opencode', {}), ['OPENAI_API_KEY']);
});

describe('M3: an agent reaches only the providers of its CLI or model', () => {
  const all = upstreamsFromEnv({
    ANTHROPIC_API_KEY: 'a',
    OPENAI_API_KEY: 'o',
    GEMINI_API_KEY: 'g',
  });
  const openai = ['openai-responses', 'openai-chat'];
  const cases: [why: string, speaker: Parameters<typeof upstreamsFor>[0], wires: string[]][] = [
    ['claude', { cli: 'claude', env: {} }, ['anthropic']],
    ['codex', { cli: 'codex', env: {} }, ['openai-responses']],
    ['gemini', { cli: 'gemini', env: {} }, ['gemini']],
    ['copilot', { cli: 'copilot', env: {} }, ['openai-chat']],
    ['opencode', { cli: 'opencode', model: 'anthropic/claude-opus-5', env: {} }, ['openai-chat']],
    [
      'claude with keys of other providers in env',
      { cli: 'claude', env: { GEMINI_API_KEY: 'g' } },
      ['anthropic'],
    ],
    ['a program with its own key', { cli: 'custom', env: { GEMINI_API_KEY: 'g' } }, ['gemini']],
    ['a program with a model', { cli: 'custom', model: 'gpt-5.5', env: {} }, openai],
    [
      'a program with neither a key nor a model',
      { cli: 'custom', env: {} },
      ['anthropic', ...openai, 'gemini'],
    ],
  ];
  for (const [why, speaker, wires] of cases)
    test(why, () => assert.deepEqual(Object.keys(upstreamsFor(speaker, all)), wires));
});
