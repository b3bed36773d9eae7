import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunRequest } from '../../protocol/api.ts';
import type { PreflightCheck } from '../../protocol/views/preflight-view.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { testOwner } from '../../../test/support/test-owner.ts';
import { trustProject } from '../../../test/support/trust-project.ts';

/** A fake CLI that prints a version. */
async function putProgram(dir: string, name: string, script: string): Promise<void> {
  await writeFile(join(dir, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(dir, name), 0o755);
}

type Setup = {
  readonly config?: string;
  readonly settings?: string;
  readonly programs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly git?: readonly string[];
};

/** Runs a preflight and checks that it creates no run and no brief. */
async function runPreflight(
  request: Partial<RunRequest>,
  { config = '', settings, programs = {}, env = {}, files = {}, git }: Setup = {},
): Promise<readonly PreflightCheck[]> {
  await using bin = await tempDir();
  await using project = await tempDir();
  for (const [name, script] of Object.entries(programs)) await putProgram(bin.path, name, script);
  const PATH = `${bin.path}:${process.env['PATH'] ?? ''}`;
  await using at = await testOwner(config, { agentEnv: { PATH }, env });
  for (const [name, text] of Object.entries(files)) await writeFile(join(at.dir, name), text);
  if (settings !== undefined) {
    await mkdir(join(project.path, '.supervisor'));
    await writeFile(join(project.path, '.supervisor', 'config.yaml'), settings);
    await trustProject(at.dir, project.path);
  }
  if (git !== undefined) execFileSync('git', git, { cwd: project.path });
  const { ok, checks } = await at.owner.preflight({
    task: 'do it',
    project: project.path,
    ...request,
  });
  assert.deepEqual(await at.owner.engine.list({ limit: 10 }), [], 'no run exists afterwards');
  assert.equal((await readdir(at.dir)).includes('briefs'), false, 'nothing is stored either');
  assert.equal(ok, !checks.some(({ state }) => state === 'failed'));
  return checks;
}

function problems(checks: readonly PreflightCheck[]): readonly string[] {
  return checks.flatMap(({ id, state, words }) =>
    state === 'ok' ? [] : [`${state === 'failed' ? '✗' : '!'} ${id}: ${words}`],
  );
}

const CLAUDE = { claude: 'echo 2.1.197' };
const KEY = { ANTHROPIC_API_KEY: 'sk-test' };
const FULL = '✗ disk: Too little, and a new run needs 999000 MB. No run was started.';
const UNSAFE = '! sandbox: none, as you asked: the agent may do everything that you may do';

describe('the preflight of a run', { timeout: 300_000 }, () => {
  test('checks everything that the run needs', async () => {
    const checks = await runPreflight(
      { agent: 'claude', notify: 'true', unsafe: true },
      { programs: CLAUDE, env: KEY },
    );
    assert.deepEqual(problems(checks), [UNSAFE]);
    assert.deepEqual(
      checks.map(({ id }) => id),
      [
        'task',
        'settings',
        'agents',
        'gates',
        'project',
        'sandbox',
        'agent:claude',
        'budget',
        'disk',
        'notify',
      ],
    );
  });

  const CASES: readonly [why: string, Partial<RunRequest>, Setup, readonly string[]][] = [
    ['a scripted agent needs nothing', { agent: 'scripted' }, {}, []],
    ['a full disk', { agent: 'scripted', set: ['limits.disk_free=999GB'] }, {}, [FULL]],
    [
      'an unknown agent',
      { agent: 'nobody', unsafe: true },
      {},
      ['✗ agents: There is no agent "nobody" here.', UNSAFE],
    ],
    [
      'an empty task',
      { agent: 'scripted', task: ' \n' },
      {},
      ['✗ task: The task is empty. Describe what to do.'],
    ],
    [
      'a gate that is not a command',
      { agent: 'scripted', gates: ["sh -c 'true"] },
      {},
      [`✗ gates: The gate "sh -c 'true" is not a command: it is empty, or a quote is not closed.`],
    ],
    [
      'a missing CLI, if no other agent can start',
      { agent: 'mine', unsafe: true },
      { config: 'agents: [{ id: mine, cli: custom, command: [no-such-cli] }]\n' },
      [UNSAFE, '✗ agent:mine: no-such-cli is not installed, or not in your PATH.'],
    ],
    [
      'a missing CLI, if another agent can start',
      { chain: ['mine', 'scripted'], unsafe: true },
      { config: 'agents: [{ id: mine, cli: custom, command: [no-such-cli] }]\n' },
      [UNSAFE, '! agent:mine: no-such-cli is not installed, or not in your PATH.'],
    ],
    [
      'only the first agent of a chain, if there is one attempt',
      { chain: ['scripted', 'mine'], unsafe: true, once: true },
      { config: 'agents: [{ id: mine, cli: custom, command: [no-such-cli] }]\n' },
      [UNSAFE],
    ],
    [
      'a CLI that is too old to be understood',
      { agent: 'claude', unsafe: true },
      { programs: { claude: 'echo 1.0.3' }, env: KEY },
      [
        UNSAFE,
        '! agent:claude: 1.0.3: older than 2.0: its output may not be understood (2.1.325 is tested)',
      ],
    ],
    [
      'a CLI that does not start',
      { agent: 'claude', unsafe: true },
      { programs: { claude: 'echo no >&2; exit 3' }, env: KEY },
      [UNSAFE, '✗ agent:claude: claude does not start: exited with code 3: no.'],
    ],
    [
      'without a sandbox, a CLI without a login',
      { agent: 'claude', unsafe: true },
      { programs: CLAUDE },
      [UNSAFE, '! agent:claude: no login was found in files or variables'],
    ],
    [
      'an unknown role',
      { agent: 'scripted', role: 'nobody-knows' },
      {},
      ['✗ role: no role is called "nobody-knows"'],
    ],
    [
      'a project without files',
      { agent: 'scripted' },
      { git: ['init', '-q', '--bare', '.'] },
      ['✗ project: PROJECT is a bare repository, or is inside one: it has no files.'],
    ],
    [
      'a prompt that is too long for an argument',
      { agent: 'mine', unsafe: true, task: 'x'.repeat(130_000) },
      { config: 'agents: [{ id: mine, cli: custom, command: [sh, "{prompt}"] }]\n' },
      [
        UNSAFE,
        '✗ agent:mine: custom cannot take so long a prompt as an argument: use {prompt_file}.',
      ],
    ],
    [
      'an invalid notification address',
      { agent: 'scripted', notify: 'http://' },
      {},
      ['✗ notify: "http://" is neither a command nor a URL for notifications.'],
    ],
  ];
  for (const [why, request, given, wanted] of CASES) {
    test(why, async () => {
      const found = problems(await runPreflight(request, given));
      const plain = found.map((line) =>
        line
          .replace(/\S+ is a bare/, 'PROJECT is a bare')
          .replace(/Only .* in \S+,/, 'Too little,'),
      );
      assert.deepEqual(plain, wanted);
    });
  }

  test('stops after settings that are invalid', async () => {
    const checks = await runPreflight({ agent: 'scripted' }, { settings: 'sett: {}\n' });
    assert.deepEqual(
      checks.map(({ id, state, code }) => [id, state, code]),
      [
        ['task', 'ok', null],
        ['settings', 'failed', 'config.invalid'],
      ],
    );
  });
});
