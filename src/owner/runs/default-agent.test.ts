import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { Submission } from '../../protocol/run-submission.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { testOwner } from '../../../test/support/test-owner.ts';
import { findDefaultAgent, requireDefaultAgent } from './default-agent.ts';

const ALL = ['opencode', 'copilot', 'gemini', 'claude', 'codex'];

async function writeExecutable(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, 0o755);
}

/** A machine with these CLIs. They are never started. */
async function machine(clis: readonly string[], files: Readonly<Record<string, object>> = {}) {
  const dir = await tempDir();
  const PATH = join(dir.path, 'bin');
  await mkdir(PATH);
  for (const cli of clis) await writeExecutable(join(PATH, cli), '#!/bin/sh\nexit 1\n');
  for (const [path, content] of Object.entries(files))
    await writeExecutable(join(dir.path, path), JSON.stringify(content));
  return { PATH, userDir: dir.path, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

const oauth = (expiresAt: number): object => ({
  claudeAiOauth: { accessToken: 'a', expiresAt },
});
const CODEX = { '.codex/auth.json': { tokens: { access_token: 'a' } } };
const COPILOT = { '.copilot/config.json': { loggedInUsers: ['me'] } };

describe('the default agent of a run', () => {
  type Case = readonly [
    why: string,
    clis: readonly string[],
    env: Readonly<Record<string, string>>,
    files: Readonly<Record<string, object>>,
    unsafe: boolean,
    ready: string | null,
  ];
  const cases: readonly Case[] = [
    ['is none if no CLI is installed', [], { OPENAI_API_KEY: 'k' }, CODEX, false, null],
    ['is none if no CLI is logged in', ALL, {}, {}, false, null],
    ['ignores an empty variable', ALL, { OPENAI_API_KEY: '' }, {}, false, null],
    [
      "is the first in Supervisor's order, not in the order of the folder",
      ALL,
      { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' },
      {},
      false,
      'codex',
    ],
    [
      'skips a CLI that is not installed',
      ['gemini', 'claude'],
      { ANTHROPIC_API_KEY: 'k' },
      CODEX,
      false,
      'claude',
    ],
    [
      'skips a CLI without a key for its provider',
      ALL,
      { ANTHROPIC_API_KEY: 'k' },
      {},
      false,
      'claude',
    ],
    ['can be the third', ALL, { GEMINI_API_KEY: 'k' }, {}, false, 'gemini'],
    [
      'can be copilot with a key for OpenAI',
      ['opencode', 'copilot'],
      { OPENAI_API_KEY: 'k' },
      {},
      false,
      'copilot',
    ],
    [
      'is none if the key is for another provider',
      ['copilot'],
      { GEMINI_API_KEY: 'k' },
      {},
      false,
      null,
    ],
    [
      'can be opencode with a key for OpenAI',
      ['opencode'],
      { OPENAI_API_KEY: 'k' },
      {},
      false,
      'opencode',
    ],
    ['accepts a login in a file', ALL, {}, CODEX, false, 'codex'],
    [
      'accepts a login that has not expired',
      ALL,
      {},
      { '.claude/.credentials.json': oauth(2000) },
      false,
      'claude',
    ],
    [
      'ignores a login that has expired',
      ALL,
      {},
      { '.claude/.credentials.json': oauth(999) },
      false,
      null,
    ],
    [
      'prefers a key that the gateway can use to a login that it cannot use',
      ['copilot', 'claude'],
      { ANTHROPIC_API_KEY: 'k' },
      COPILOT,
      false,
      'claude',
    ],
    ['falls back to a login that the gateway cannot use', ALL, {}, COPILOT, false, 'copilot'],
    [
      'without a sandbox, is a CLI with its own login',
      ALL,
      {},
      { ...COPILOT, '.claude/.credentials.json': oauth(999) },
      true,
      'copilot',
    ],
    ['ignores a login that cannot be read', ['codex'], {}, { '.codex/auth.json': [] }, true, null],
  ];
  for (const [why, clis, env, files, unsafe, expected] of cases) {
    test(why, async () => {
      await using at = await machine(clis, files);
      const { PATH, userDir } = at;
      const clock = new ManualClock(1000);
      const ports = { clock, userDir, env: { PATH }, ownerEnv: env };
      assert.equal(await findDefaultAgent(ports, { unsafe }), expected);
    });
  }

  const refusals: [why: string, clis: readonly string[], message: string, hint: string][] = [
    [
      'no CLI is installed',
      [],
      'No agent is named, none is configured, and no agent CLI is installed here.',
      'Install one and log in, such as: npm install --global @anthropic-ai/claude-code@latest && claude auth login. To try Supervisor without one: --agent scripted',
    ],
    [
      'the CLIs that are installed are not logged in',
      ['gemini', 'claude', 'codex'],
      'No agent is named, none is configured, and no installed agent CLI is logged in: codex, claude, gemini.',
      'Log in: codex login, or claude auth login, or set GEMINI_API_KEY. To try Supervisor without one: --agent scripted',
    ],
  ];
  for (const [why, clis, message, hint] of refusals) {
    test(`is refused with what helps if ${why}`, async () => {
      await using at = await machine(clis);
      const { PATH, userDir } = at;
      const ports = { clock: new ManualClock(1000), userDir, env: { PATH }, ownerEnv: {} };
      await assert.rejects(requireDefaultAgent(defaultSettings, ports, { unsafe: false }), {
        data: { code: 'agent.unknown', message, hint },
      });
      const pinned = { ...defaultSettings, defaultAgent: 'claude' };
      assert.equal(await requireDefaultAgent(pinned, ports, { unsafe: false }), null);
    });
  }

  test('is recorded in the run, if no agent is named or configured', async () => {
    await using on = await machine(['codex', 'claude'], CODEX);
    const PATH = `${on.PATH}:${process.env['PATH'] ?? ''}`;
    const env = { OPENAI_API_KEY: 'k' };
    await using at = await testOwner('', { agentEnv: { PATH, HOME: on.userDir }, env });
    // Without a sandbox, so that this also passes on a machine that has none.
    const { id } = await at.owner.submit({ task: 'do it', project: at.project, unsafe: true });
    const [first] = await at.owner.journal.readStream(`run/${id}`, { after: 0, limit: 1 });
    const { settings } = Submission.parse(first?.payload);
    assert.equal(JSON.stringify(settings['chain']).match(/"id":"(\w+)"/)?.[1], 'codex');
    await at.owner.questions.signal(id as never, { kind: 'kill' });
  });
});
