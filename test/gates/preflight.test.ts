/** The checks before a run that needs a sandbox, with real sandboxes. */
import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunRequest } from '../../src/protocol/api.ts';
import { tempDir } from '../support/temp-dir.ts';
import { testOwner } from '../support/test-owner.ts';
import { noBubblewrap } from '../sandbox/setup.ts';

type Given = {
  readonly settings?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly login?: object;
};

/** With a program in place of Claude, which only has to exist. */
async function looked(
  request: Partial<RunRequest>,
  { settings = '', env = {}, login }: Given,
): Promise<Readonly<Record<string, string>>> {
  await using dir = await tempDir();
  const [bin, project, home] = ['bin', 'project', 'home'].map((name) => join(dir.path, name));
  for (const folder of [bin, project, join(home ?? '', '.claude')])
    await mkdir(folder ?? '', { recursive: true });
  await writeFile(join(bin ?? '', 'claude'), '#!/bin/sh\necho 2.1.197\n');
  await chmod(join(bin ?? '', 'claude'), 0o755);
  await writeFile(join(project ?? '', 'check.sh'), 'true\n');
  if (login !== undefined)
    await writeFile(join(home ?? '', '.claude', '.credentials.json'), JSON.stringify(login));
  const agentEnv = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: home ?? '' };
  await using at = await testOwner(settings, { agentEnv, env });
  const { checks } = await at.owner.preflight({
    task: 'do it',
    project: project ?? '',
    ...(request.chain === undefined ? { agent: 'claude' } : {}),
    ...request,
  });
  assert.deepEqual(await at.owner.engine.list({ limit: 10 }), []);
  return Object.fromEntries(
    checks.map(({ id, state, words }) => [id, state === 'ok' ? 'ok' : `${state}: ${words}`]),
  );
}

const KEY = { ANTHROPIC_API_KEY: 'sk-test' };

describe('before a sandboxed run', { timeout: 300_000, skip: noBubblewrap() }, () => {
  test('a sandbox must contain a canary, and is checked for the programs of the gates', async () => {
    const found = await looked(
      { gates: ['sh -c true', './check.sh', './gone.sh', 'no-such-program --all'] },
      { env: KEY },
    );
    const { sandbox, inside, 'agent:claude': agent, ...others } = found;
    assert.deepEqual([sandbox, inside, agent], ['ok', 'ok', 'ok']);
    assert.deepEqual(
      Object.entries(others).filter(([, state]) => state !== 'ok'),
      [
        ['gate:./gone.sh', 'failed: ./gone.sh does not exist where it would run.'],
        [
          'gate:no-such-program --all',
          'failed: no-such-program does not exist where it would run.',
        ],
      ],
    );
  });

  test('a program that exists only outside is missing inside', async () => {
    const found = await looked({ gates: ['claude --version'] }, { env: KEY });
    assert.equal(
      found['gate:claude --version'],
      'failed: claude does not exist where it would run.',
    );
  });

  test('the credentials are found as in an attempt', async () => {
    const claudeAiOauth = { accessToken: 'a', refreshToken: 'b', expiresAt: 1 };
    const words = async (given: Given): Promise<string | undefined> =>
      (await looked({}, given))['agent:claude'];
    assert.equal(
      await words({}),
      'failed: claude can reach no model: your shell has no ANTHROPIC_API_KEY, and claude has no login that works in a sandbox.',
    );
    assert.match(
      (await words({ login: { claudeAiOauth } })) ?? '',
      /^failed: The login of claude in \S+ has run out\.$/,
    );
    const expiresAt = 9e15;
    assert.equal(await words({ login: { claudeAiOauth: { ...claudeAiOauth, expiresAt } } }), 'ok');
  });

  test('an unavailable sandbox is reported once, and nothing runs without it', async () => {
    const settings = 'sandbox: { backend: seatbelt }\n';
    const found = await looked({ gates: ['no-such-program'] }, { env: KEY, settings });
    assert.match(found['sandbox'] ?? '', /^failed: No sandbox/);
    assert.equal(found['inside'], undefined);
    assert.equal(found['gate:no-such-program'], 'unchecked: no-such-program: not checked yet');
  });

  test('a forbidden mount and an invalid setup network are reported', async () => {
    const settings = [
      'sandbox: { mounts: [{ path: /proc, to: /data }] }',
      'setup: { command: [no-such-setup], network: [1.2.3.4], inputs: [gone.lock] }',
    ];
    const found = await looked({}, { env: KEY, settings: `${settings.join('\n')}\n` });
    assert.match(found['inside'] ?? '', /^failed: This sandbox policy is not allowed: /);
    assert.match(found['setup'] ?? '', /^failed: setup.network names "1.2.3.4"/);
  });

  test('a setup is not run, and nothing is said about its result', async () => {
    const settings = 'setup: { command: [sh, -c, "exit 1"] }\n';
    const found = await looked({}, { env: KEY, settings });
    assert.equal(
      found['setup'],
      'unchecked: exit 1: not checked yet. The run tries it before it starts an agent.',
    );
  });

  test('a budget in money with a model of unknown price is reported', async () => {
    const settings = [
      'agents: [{ id: new, cli: claude, model: claude-99 }, { id: old, cli: claude, model: sonnet }]',
      'budget: { usd: 1 }',
    ];
    const given = { env: KEY, settings: `${settings.join('\n')}\n` };
    const words = (await looked({ chain: ['new'] }, given))['budget'];
    assert.match(words ?? '', /^warning: money is limited, and the price of claude-99 is unknown/);
    assert.equal((await looked({ chain: ['old'] }, given))['budget'], 'ok');
  });
});
