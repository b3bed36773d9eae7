import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { requireSetup } from './require-setup.ts';
import { testOwner } from '../../../test/support/test-owner.ts';
import type { RunToSetUp } from './require-setup.ts';
import type { TryGate } from './try-gate.ts';

const { sandbox } = defaultSettings;
const NPM_TEST = { name: 'test', command: ['npm', 'test'], timeoutMs: 1000 };
const SETUP = { command: ['npm', 'ci'], inputs: [], network: [], timeoutMs: 1000 };

/** A project of npm with installed packages, which git ignores. */
async function writeProject(
  project: string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  execFileSync('git', ['init', '--quiet'], { cwd: project });
  await mkdir(join(project, 'node_modules/left-pad'), { recursive: true });
  const files = {
    '.gitignore': 'node_modules\n',
    'package.json': '{"scripts":{"test":"node a.js"},"dependencies":{"left-pad":"1"}}',
    'package-lock.json': '{}',
    'node_modules/left-pad/index.js': '',
    ...more,
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(project, path), text);
}

/** Undefined if the run may start. */
async function refusal(
  change: Partial<RunToSetUp> = {},
  more: Readonly<Record<string, string>> = {},
  tryGate: TryGate = () => Promise.resolve(undefined),
): Promise<unknown> {
  await using dir = await tempDir();
  await writeProject(dir.path, more);
  try {
    const run = {
      project: dir.path,
      agents: [{}],
      gates: [NPM_TEST],
      setup: null,
      sandbox,
      unsafe: false,
      withoutSetup: false,
      ...change,
    };
    await requireSetup(run, tryGate);
    return undefined;
  } catch (error) {
    return isRefusal(error) ? error.data : error;
  }
}

describe('a run whose gate needs ignored dependencies', () => {
  test('is refused with the lines to add', async () => {
    const lines = [
      'setup:',
      '  command: [npm, ci]',
      '  inputs: [package-lock.json]',
      '  network: [registry]',
    ].join('\n');
    assert.deepEqual(await refusal(), {
      code: 'setup.missing',
      message:
        'The gate "test" needs node_modules, which git ignores, and no copy of this project has it. No run was started.',
      hint: `Add these lines to .supervisor/config.yaml, or continue without a setup with --without-setup.\n${lines}`,
      details: { lines },
    });
  });

  test('is decided by the gate itself, if it can be tried', async () => {
    const lint = { ...NPM_TEST, name: 'lint', command: ['npm', 'run', 'lint'] };
    const tried: string[] = [];
    const judge =
      (tail: string): TryGate =>
      ({ name }) => {
        tried.push(name);
        return Promise.resolve(
          name === 'test' ? { kind: 'passed', name } : { kind: 'failed', name, exit: 1, tail },
        );
      };
    const gates = [NPM_TEST, lint];
    assert.equal(await refusal({ gates }, {}, judge('1:2 error no-var')), undefined);
    const refused = await refusal({ gates }, {}, judge("Cannot find module 'left-pad'"));
    assert.match(JSON.stringify(refused), /The gate \\"lint\\" needs node_modules/);
    assert.deepEqual(tried, ['test', 'lint', 'test', 'lint']);
  });

  const cases: [why: string, change: Partial<RunToSetUp>][] = [
    ['has a setup', { setup: SETUP }],
    ['is wanted without a setup', { withoutSetup: true }],
    ['works in the project itself', { unsafe: true }],
    ['has only agents that work in the project', { agents: [{ inProject: true }] }],
    ['has an image of its own', { sandbox: { ...sandbox, image: 'mine:1' } }],
    ['has no gate', { gates: [] }],
    ['has only an advisory gate', { gates: [{ ...NPM_TEST, warns: true }] }],
    [
      'mounts its dependencies',
      {
        sandbox: {
          ...sandbox,
          mounts: [{ from: '/m', to: '/project/node_modules', mode: 'ro' }],
        },
      },
    ],
  ];
  const GO = { 'package.json': '{}', 'go.mod': 'module a\nrequire b v1\n' };
  const GO_TEST = { name: 'test', command: ['go', 'test', './...'], timeoutMs: 1000 };
  test('may start if it has the module cache of Go', async () => {
    const gates = [GO_TEST];
    const mounts = [{ from: '/home/ann/go/pkg/mod', to: '/modules', mode: 'ro' as const }];
    const grants = { ...sandbox.grants, toolchains: ['/home/ann/go'] };
    assert.notEqual(await refusal({ gates }, GO), undefined);
    assert.equal(await refusal({ gates, sandbox: { ...sandbox, mounts } }, GO), undefined);
    assert.equal(await refusal({ gates, sandbox: { ...sandbox, grants } }, GO), undefined);
  });

  for (const [why, change] of cases)
    test(`may start if it ${why}`, async () => assert.equal(await refusal(change), undefined));
});

describe('a spawned agent whose commitment needs ignored dependencies', { timeout: 60_000 }, () => {
  const commitments = [{ what: 'the tests pass', command: 'npm test' }];

  test('is refused before it is started, unless the user has switched the check off', async () => {
    await using at = await testOwner();
    await writeProject(at.project);
    const spawn = (set: readonly string[]): Promise<unknown> =>
      at.owner.agents
        .spawn({
          assignment: 'a',
          project: at.project,
          agent: 'claude',
          commitments,
          set: [...set],
        })
        .catch((error: unknown) => (isRefusal(error) ? error.data : error));
    const { code, message, hint } = (await spawn([])) as Readonly<Record<string, string>>;
    assert.deepEqual(
      [code, message, hint?.split('\n')[0]],
      [
        'setup.missing',
        'The commitment "the tests pass" needs node_modules, which git ignores, and no copy of this project has it. No agent was started.',
        'Add these lines to .supervisor/config.yaml, or set require_setup: false to continue without a setup.',
      ],
    );
    assert.deepEqual(at.owner.agents.list(), []);
    // The next check is reached: this machine has no login for the agent.
    const next = (await spawn(['require_setup=false'])) as Readonly<Record<string, string>>;
    assert.equal(next['code'], 'agent.preflight-failed');
  });

  test('is refused as a run too, unless the user has switched the check off', async () => {
    await using at = await testOwner('gates: [{name: test, command: [npm, test]}]\n');
    await writeProject(at.project);
    const request = { task: 'a', project: at.project, agent: 'claude' };
    const refused = (error: unknown): boolean => isRefusal(error, 'setup.missing');
    await assert.rejects(at.owner.submit(request), refused);
    const off = at.owner.submit({ ...request, set: ['require_setup=false'] });
    await assert.rejects(off, (error) => isRefusal(error) && !refused(error));
  });
});
