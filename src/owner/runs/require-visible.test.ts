import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { RunToSee } from './require-visible.ts';
import { requireVisible } from './require-visible.ts';

const { sandbox } = defaultSettings;

/** The refusal with HOME in place of the user's home. Undefined if the run may start. */
async function refusal(change: (userDir: string) => Partial<RunToSee>) {
  await using dir = await tempDir();
  const project = join(dir.path, 'shop');
  await mkdir(project);
  await mkdir(join(dir.path, 'bin'));
  for (const file of ['bin/check.sh', 'shop/check.sh'])
    await writeFile(join(dir.path, file), 'true\n');
  const run = { project, agents: [CLAUDE], gates: [], setup: null, sandbox, unsafe: false };
  try {
    requireVisible(
      { ...run, ...change(dir.path) },
      { env: { PATH: '/usr/bin:/bin' }, userDir: dir.path },
    );
    return undefined;
  } catch (error) {
    assert.ok(isRefusal(error, 'sandbox.file-hidden'), String(error));
    const { message, hint = '' } = error.data;
    return [message, hint].map((text) => text.replaceAll(dir.path, 'HOME'));
  }
}

const CLAUDE = { id: 'claude', cli: 'claude' } as const;
const gate = (...command: readonly string[]) => ({ gates: [{ name: 'check', command }] });
const MOUNT =
  'show it to the sandbox, in your own config.yaml:\nsandbox:\n  mounts:\n    - {path: HOME/bin/check.sh}';

describe('a file that no sandbox shows', () => {
  test('stops a run before any agent is paid, with the lines to add', async () => {
    const outside = (home: string) => gate('sh', join(home, 'bin/check.sh'));
    assert.deepEqual(await refusal(outside), [
      'Gate check names HOME/bin/check.sh, which is outside of the sandbox. Nothing was started.',
      `Copy the file into the project and name it there. Or ${MOUNT}`,
    ]);
    const mounts = (home: string) => [
      { from: join(home, 'bin'), to: join(home, 'bin'), mode: 'ro' as const },
    ];
    const shown = (home: string) => ({
      ...outside(home),
      sandbox: { ...sandbox, mounts: mounts(home) },
    });
    assert.equal(await refusal(shown), undefined);
    assert.equal(await refusal((home) => ({ ...outside(home), unsafe: true })), undefined);
  });

  test('may be in the project, where its path is another one', async () => {
    assert.deepEqual(await refusal((home) => gate('sh', join(home, 'shop/check.sh'))), [
      'Gate check names HOME/shop/check.sh in the project. Agents and gates work on a copy, which has another path. Nothing was started.',
      'Write the path from the folder of the project: check.sh',
    ]);
  });

  test('may be written with a ~ that no shell replaces', async () => {
    assert.deepEqual(await refusal(() => gate('~/bin/check.sh')), [
      'Gate check names ~/bin/check.sh, and only a shell replaces ~. Nothing was started.',
      `Write the whole path: HOME/bin/check.sh. If it is an argument, also ${MOUNT}`,
    ]);
  });

  test('stops the setup too, and an agent of the user if no other agent can work', async () => {
    const command = (home: string) => ['sh', join(home, 'bin/check.sh')];
    const setup = await refusal((home) => ({ setup: { command: command(home) } }));
    assert.match(setup?.[0] ?? '', /^The setup names HOME\/bin\/check\.sh, which is outside/);
    const own = (home: string) => ({ id: 'own', cli: 'custom', command: command(home) }) as const;
    const agent = await refusal((home) => ({ agents: [own(home)] }));
    assert.match(agent?.[0] ?? '', /^Agent own names HOME\/bin\/check\.sh, which is outside/);
    assert.equal(await refusal((home) => ({ agents: [own(home), CLAUDE] })), undefined);
  });
});
