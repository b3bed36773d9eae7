import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../host/machine/system-clock.ts';
import { systemRandom } from '../host/machine/system-random.ts';
import { Diagnosis } from '../protocol/views/diagnosis.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { diagnose } from './diagnose.ts';
import type { ProbePorts } from './probe-machine.ts';
import { probeMachine } from './probe-machine.ts';
import { renderDiagnosis } from './render-diagnosis.ts';

/** The user's folder is empty, so that the tests never read real logins. */
function portsIn(userDir: string, env: Record<string, string>): ProbePorts {
  return {
    clock: systemClock,
    random: systemRandom,
    env: { HOME: userDir, ...env },
    userDir,
    stateDir: join(userDir, 'state', 'supervisor'),
  };
}

async function put(path: string, text: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, mode);
}

describe('this machine', () => {
  test('has what these tests need, and an install command for each thing that it lacks', async () => {
    await using dir = await tempDir();
    const facts = await probeMachine(portsIn(dir.path, { PATH: process.env['PATH'] ?? '' }));
    const diagnosis = Diagnosis.parse(diagnose(facts));

    const state = (id: string) => diagnosis.findings.find((finding) => finding.id === id)?.state;
    assert.deepEqual(
      ['node', 'sqlite', 'state-folder', 'scripted'].map((id) => [id, state(id)]),
      ['node', 'sqlite', 'state-folder', 'scripted'].map((id) => [id, 'ok']),
    );
    assert.ok(facts.git.kind === 'ended' && facts.git.stdout.startsWith('git version '));
    assert.equal(diagnosis.verdict.canRun, true);
    const isKnown = facts.platform === 'darwin' || facts.os?.id === 'debian';
    const helpless = diagnosis.findings.filter(
      ({ state, get, section }) =>
        state === 'missing' && get === null && (isKnown || section === 'agents'),
    );
    assert.deepEqual(helpless, []);
    assert.deepEqual(
      facts.agents.map(({ cli, logins }) => [cli, logins]),
      ['claude', 'codex', 'gemini', 'copilot', 'opencode'].map((cli) => [cli, []]),
    );
  });
});

describe('programs and logins', () => {
  test('that misbehave do not affect other findings', async () => {
    await using dir = await tempDir();
    const bin = join(dir.path, 'bin');
    const programs = {
      claude: 'echo "2.1.4 (Claude Code)"',
      codex: 'echo "no such random" >&2; exit 1',
      gemini: 'echo "hello, who is there?"',
      copilot: 'while :; do echo 1.0.0; done',
      git: 'kill -9 $$',
    };
    for (const [name, script] of Object.entries(programs))
      await put(join(bin, name), `#!/bin/sh\n${script}\n`, 0o755);
    const key = { PATH: bin, ANTHROPIC_API_KEY: 'sesame', OPENAI_API_KEY: '' };
    const { findings } = diagnose(await probeMachine(portsIn(dir.path, key)));

    const seen = findings
      .filter(({ id, section }) => section === 'agents' || id === 'git')
      .map(({ id, state, found, note }) => [id, state, found, note]);
    assert.deepEqual(seen, [
      ['git', 'broken', join(bin, 'git'), 'was killed by SIGKILL'],
      ['claude', 'ok', '2.1.4, with ANTHROPIC_API_KEY', 'tested with 2.1.325'],
      ['codex', 'broken', join(bin, 'codex'), 'exited with code 1: no such random'],
      ['gemini', 'limited', join(bin, 'gemini'), 'its output contains no version'],
      ['copilot', 'limited', join(bin, 'copilot'), 'its output for --version is too long'],
      ['opencode', 'missing', null, null],
      ['scripted', 'ok', 'built in', 'plays a script and ignores the task text'],
    ]);
  });

  test('are found without revealing a secret', async () => {
    await using dir = await tempDir();
    const secret = 'sk-open-sesame';
    const files = {
      '.claude/.credentials.json': {
        claudeAiOauth: { accessToken: secret, refreshToken: secret, expiresAt: 5 },
      },
      '.codex/auth.json': { OPENAI_API_KEY: secret },
      '.gemini/oauth_creds.json': { access_token: secret, expiry_date: 5 },
      '.local/share/opencode/auth.json': { anthropic: { type: 'api', key: secret } },
    };
    for (const [path, content] of Object.entries(files))
      await put(join(dir.path, path), JSON.stringify(content));
    await put(join(dir.path, '.copilot/config.json'), `{"token": "${secret}"`); // cut short

    const facts = await probeMachine(portsIn(dir.path, { PATH: '', GH_TOKEN: secret }));
    const path = (name: string) => join(dir.path, name);
    assert.deepEqual(Object.fromEntries(facts.agents.map(({ cli, logins }) => [cli, logins])), {
      claude: [
        { kind: 'file', path: path('.claude/.credentials.json'), expiresAt: 5, renews: true },
      ],
      codex: [{ kind: 'file', path: path('.codex/auth.json'), expiresAt: null, renews: false }],
      gemini: [
        { kind: 'file', path: path('.gemini/oauth_creds.json'), expiresAt: 5, renews: false },
      ],
      copilot: [
        { kind: 'variable', name: 'GH_TOKEN' },
        { kind: 'unreadable', path: path('.copilot/config.json') },
      ],
      opencode: [
        {
          kind: 'file',
          path: path('.local/share/opencode/auth.json'),
          expiresAt: null,
          renews: false,
        },
      ],
    });
    const diagnosis = diagnose(facts);
    const said =
      JSON.stringify([facts, diagnosis]) +
      renderDiagnosis(diagnosis, { isTty: true, width: 80, colour: false });
    assert.ok(!said.includes('sesame'));
  });
});

test('CI and containers are recognized by their variables', async () => {
  await using dir = await tempDir();
  const env = { PATH: '', CI: 'true', GITHUB_ACTIONS: 'true', container: 'lxc' };
  const facts = await probeMachine(portsIn(dir.path, env));
  assert.equal(facts.ci, 'GitHub Actions');
  assert.notEqual(facts.container, undefined);
});

test('a probe that is aborted rejects', async () => {
  await using dir = await tempDir();
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(probeMachine(portsIn(dir.path, { PATH: '' }), signal), /enough/);
});
