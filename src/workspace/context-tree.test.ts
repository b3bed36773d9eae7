import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunId } from '../base/ids.ts';
import { gitOutput } from '../host/git/git-output.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { which } from '../host/process/which.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { commitWorkspace } from './commit-work.ts';
import { checkOutContextTree } from './context-tree.ts';
import { createWorkspace } from './create-workspace.ts';
import { openShadowRepo } from './shadow-repo.ts';
import { workspacePaths } from './workspace.ts';

const git = {
  git: which('git', process.env) ?? 'git',
  clock: systemClock,
  tag: `context-tree-test:${process.pid}`,
  userHome: '/nonexistent',
};

test('a tree for reading has the work, staged on its base, and leaves nothing behind', async () => {
  await using dir = await tempDir();
  const root = await realpath(dir.path);
  const [path, home] = [join(root, 'project'), join(root, 'home')];
  await mkdir(path);
  for (const name of ['changed', 'deleted', 'same']) await writeFile(join(path, name), 'base\n');
  const run = 'a000000000' as RunId;
  const workspace = await createWorkspace({ path, home, run, attempt: 1 }, git);
  await writeFile(join(workspace.work, 'changed'), 'work\n');
  await writeFile(join(workspace.work, 'new'), 'work\n');
  await rm(join(workspace.work, 'deleted'));
  const { commit } = await commitWorkspace(workspace.id, git);
  workspace.release();
  await writeFile(join(path, 'changed'), 'edited by the user\n');

  let folder = '';
  {
    await using tree = await checkOutContextTree(workspace.id, commit, git);
    ({ folder } = tree);
    assert.deepEqual((await readdir(folder)).toSorted(), ['.git', 'changed', 'new', 'same']);
    assert.equal(await readFile(join(folder, 'changed'), 'utf8'), 'work\n');
    const shown = async (...args: string[]): Promise<string> => {
      const result = await gitOutput(folder, args);
      return result.kind === 'output' ? result.bytes.toString('utf8') : result.message;
    };
    assert.equal(
      await shown('diff', '--cached', '--name-status'),
      'M\tchanged\nD\tdeleted\nA\tnew\n',
    );
    assert.equal(await shown('diff', '--name-only'), '', 'nothing is left unstaged');
  }
  assert.equal(existsSync(folder), false);
  const { scratchDir } = await openShadowRepo(workspacePaths(workspace.id).project, git);
  assert.deepEqual(await readdir(scratchDir), []);
});
