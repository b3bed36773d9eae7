import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { Submission } from '../../protocol/event.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { testOwner } from '../../../test/support/test-owner.ts';
import { findDefaultAgent } from './default-agent.ts';

const ALL = ['opencode', 'copilot', 'gemini', 'claude', 'codex'];

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, 0o755);
}

/** Each of them a program that is never started. */
async function machine(clis: readonly string[], files: Readonly<Record<string, object>> = {}) {
  const dir = await tempDir();
  const PATH = join(dir.path, 'bin');
  await mkdir(PATH);
  for (const cli of clis) await put(join(PATH, cli), '#!/bin/sh\nexit 1\n');
  for (const [path, content] of Object.entries(files))
    await put(join(dir.path, path), JSON.stringify(content));
  return { PATH, userDir: dir.path, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

const oauth = (expiresAt: number): object => ({
  claudeAiOauth: { accessToken: 'a', expiresAt },
});
const CODEX = { '.codex/auth.json': { tokens: { access_token: 'a' } } };
const COPILOT = { '.copilot/config.json': { loggedInUsers: ['me'] } };

describe('the CLI of a run for which nobody has named an agent', () => {
  type Case = readonly [
    why: string,
    clis: readonly string[],
    env: Readonly<Record<string, string>>,
    files: Readonly<Record<string, object>>,
    unsafe: boolean,
    ready: string | null,
  ];
  const cases: readonly Case[] = [
    ['is none where nothing is installed', [], { OPENAI_API_KEY: 'k' }, CODEX, false, null],
    ['nor where nobody is logged in', ALL, {}, {}, false, null],
    ['an empty variable is no key', ALL, { OPENAI_API_KEY: '' }, {}, false, null],
    [
      'is the first of all, in our order and not in that of the folder',
      ALL,
      { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' },
      {},
      false,
      'codex',
    ],
    [
      'passes over one that is not installed',
      ['gemini', 'claude'],
      { ANTHROPIC_API_KEY: 'k' },
      CODEX,
      false,
      'claude',
    ],
    [
      'passes over one whose provider nobody pays',
      ALL,
      { ANTHROPIC_API_KEY: 'k' },
      {},
      false,
      'claude',
    ],
    ['reaches the third', ALL, { GEMINI_API_KEY: 'k' }, {}, false, 'gemini'],
    [
      'the fourth speaks to OpenAI',
      ['opencode', 'copilot'],
      { OPENAI_API_KEY: 'k' },
      {},
      false,
      'copilot',
    ],
    [
      'the key of another provider is of no use to it',
      ['copilot'],
      { GEMINI_API_KEY: 'k' },
      {},
      false,
      null,
    ],
    ['and so does the last', ['opencode'], { OPENAI_API_KEY: 'k' }, {}, false, 'opencode'],
    ['a login in a file will do', ALL, {}, CODEX, false, 'codex'],
    [
      'so will one that lasts',
      ALL,
      {},
      { '.claude/.credentials.json': oauth(2000) },
      false,
      'claude',
    ],
    [
      'one that has run out will not',
      ALL,
      {},
      { '.claude/.credentials.json': oauth(999) },
      false,
      null,
    ],
    [
      'a login that we can not use gives way to a key that we can',
      ['copilot', 'claude'],
      { ANTHROPIC_API_KEY: 'k' },
      COPILOT,
      false,
      'claude',
    ],
    ['where there is only such a login, it is named', ALL, {}, COPILOT, false, 'copilot'],
    [
      'without walls a CLI uses its own',
      ALL,
      {},
      { ...COPILOT, '.claude/.credentials.json': oauth(999) },
      true,
      'copilot',
    ],
    ['what can not be read is no login', ['codex'], {}, { '.codex/auth.json': [] }, true, null],
  ];
  for (const [why, clis, env, files, unsafe, ready] of cases) {
    test(why, async () => {
      await using at = await machine(clis, files);
      const { PATH, userDir } = at;
      const clock = new ManualClock(1000);
      const ports = { clock, userDir, env: { PATH }, ownerEnv: env };
      assert.equal(await findDefaultAgent(ports, { unsafe }), ready);
    });
  }

  test('is named in the record, and only where nobody has said anything', async () => {
    await using on = await machine(['codex', 'claude'], CODEX);
    const PATH = `${on.PATH}:${process.env['PATH'] ?? ''}`;
    const env = { OPENAI_API_KEY: 'k' };
    await using at = await testOwner('', { agentEnv: { PATH, HOME: on.userDir }, env });
    // Without a sandbox, so that this holds on a machine that has none.
    const { id } = await at.owner.submit({ task: 'do it', project: at.project, unsafe: true });
    const [first] = await at.owner.journal.readStream(`run/${id}`, { after: 0, limit: 1 });
    const { settings } = Submission.parse(first?.payload);
    assert.equal(JSON.stringify(settings['chain']).match(/"id":"(\w+)"/)?.[1], 'codex');
    await at.owner.questions.signal(id as never, { kind: 'kill' });
  });
});
