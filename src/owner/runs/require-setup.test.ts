import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { requireSetup } from './require-setup.ts';
import type { RunToSetUp } from './require-setup.ts';

const { sandbox } = defaultSettings;
const NPM_TEST = { name: 'test', command: ['npm', 'test'], timeoutMs: 1000 };
const SETUP = { command: ['npm', 'ci'], inputs: [], network: [], timeoutMs: 1000 };

/** Undefined if the run may start. */
async function refusal(change: Partial<RunToSetUp> = {}): Promise<unknown> {
  await using dir = await tempDir();
  execFileSync('git', ['init', '--quiet'], { cwd: dir.path });
  await mkdir(join(dir.path, 'node_modules/left-pad'), { recursive: true });
  const files = {
    '.gitignore': 'node_modules\n',
    'package.json': '{"scripts":{"test":"node a.js"},"dependencies":{"left-pad":"1"}}',
    'package-lock.json': '{}',
    'node_modules/left-pad/index.js': '',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(dir.path, path), text);
  try {
    await requireSetup({
      project: dir.path,
      agents: [{ cli: 'claude' }],
      gates: [NPM_TEST],
      setup: null,
      sandbox,
      unsafe: false,
      withoutSetup: false,
      ...change,
    });
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

  const cases: [why: string, change: Partial<RunToSetUp>][] = [
    ['has a setup', { setup: SETUP }],
    ['is wanted without a setup', { withoutSetup: true }],
    ['works in the project itself', { unsafe: true }],
    ['has only a scripted agent', { agents: [{ cli: 'scripted' }] }],
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
  for (const [why, change] of cases)
    test(`may start if it ${why}`, async () => assert.equal(await refusal(change), undefined));
});
