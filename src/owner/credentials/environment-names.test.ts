import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Settings } from '../../settings/settings.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { namesForRequest } from './environment-names.ts';
import type { EnvironmentRequest } from '../../protocol/run-environment.ts';
import { SETUP_VARIABLES } from '../../protocol/run-environment.ts';

const agent = (id: string, cli: string): Settings['agents'][number] =>
  ({ id, cli, args: [], env: {}, model: null, configDir: null }) as never;
const configured: Settings = { ...defaultSettings, agents: [agent('mine', 'gemini')] };
const withSetup: Settings = {
  ...configured,
  setup: { command: ['npm', 'ci'], inputs: [], network: [], timeoutMs: 1 },
};
const GEMINI = ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL'];
const OPENAI = ['OPENAI_API_KEY', 'OPENAI_BASE_URL'];

describe('a command is asked for', () => {
  const rows: [why: string, request: Partial<EnvironmentRequest>, settings: Settings, string[]][] =
    [
      ['what the configured agents need', {}, configured, ['PATH', ...GEMINI]],
      [
        'what the named agent and its fallbacks need',
        { agent: 'copilot' },
        configured,
        ['PATH', ...OPENAI, ...GEMINI],
      ],
      [
        'what each agent of the named chain needs',
        { chain: ['mine', 'copilot'] },
        configured,
        ['PATH', ...GEMINI, ...OPENAI],
      ],
      ['PATH alone by a scripted agent', { agent: 'scripted' }, configured, ['PATH']],
      [
        'what the CLI itself logs in with, without a sandbox',
        { chain: ['codex'], unsafe: true },
        configured,
        ['PATH', ...OPENAI, 'CHATGPT_BASE_URL', 'CODEX_HOME', 'CODEX_API_KEY'],
      ],
      [
        'what its setup may use, if the project has one',
        { agent: 'scripted' },
        withSetup,
        ['PATH', ...SETUP_VARIABLES],
      ],
    ];
  for (const [why, request, settings, names] of rows)
    test(why, () =>
      assert.deepEqual(namesForRequest({ project: '/p', ...request }, settings), names),
    );

  const KEYS = ['PATH', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];

  test('the keys of all CLIs if nothing is configured, because the owner chooses one', () => {
    const names = namesForRequest({ project: '/p' }, defaultSettings);
    for (const name of KEYS) assert.ok(names.includes(name), name);
  });

  test('the keys of all CLIs if a role may choose one, configured or not', () => {
    const request = { project: '/p', agent: 'copilot', any: true };
    const names = namesForRequest(request, configured);
    for (const name of KEYS) assert.ok(names.includes(name), name);
  });
});
