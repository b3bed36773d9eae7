import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { which } from '../../host/process/which.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { commitWorkspace } from '../../workspace/commit-work.ts';
import type { EarlierCommit, Workspace } from '../../workspace/create-workspace.ts';
import { openShadowRepo, readRef, readTree } from '../../workspace/shadow-repo.ts';
import type { TreeProgress } from '../../workspace/git.ts';
import { workRef, workspacePaths } from '../../workspace/workspace.ts';
import { runWorkspace } from './run-workspace.ts';

const RUN = 'a000000000' as RunId;
const git = {
  git: which('git', process.env) ?? 'git',
  clock: systemClock,
  tag: `run-workspace-test:${process.pid}`,
  userHome: '/nonexistent',
};

test(
  'a tree that is given up is followed by another; its work stays on its ref',
  { timeout: 300_000 },
  async () => {
    await using dir = await tempDir();
    const root = await realpath(dir.path);
    const [project, stateDir] = [join(root, 'project'), join(root, 'home')];
    await mkdir(project);
    await writeFile(join(project, 'old.txt'), 'old');
    const ports = { stateDir, findEarlierWork: async () => undefined };
    const take = (tree?: number): Promise<Workspace> =>
      runWorkspace(
        RUN,
        { project, sandbox: defaultSettings.sandbox, ...(tree === undefined ? {} : { tree }) },
        ports,
        git,
      );

    const first = await take();
    await writeFile(join(first.work, 'wrong.txt'), 'wrong');
    first.release();
    const again = await take(1);
    assert.equal(await readFile(join(again.work, 'wrong.txt'), 'utf8'), 'wrong', 'the same tree');
    again.release();

    await writeFile(join(project, 'old.txt'), 'newer');
    const second = await take(2);
    assert.equal(await readFile(join(second.work, 'old.txt'), 'utf8'), 'newer');
    assert.equal(existsSync(join(second.work, 'wrong.txt')), false);
    await writeFile(join(second.work, 'right.txt'), 'right');
    second.release();
    assert.equal(existsSync(first.work), false, 'the tree itself is not needed');

    const same = await take(2);
    assert.equal(await readFile(join(same.work, 'right.txt'), 'utf8'), 'right', 'taken up again');
    same.release();
    const vault = await openShadowRepo(workspacePaths(first.id).project, git);
    const commit = (await readRef(vault, workRef(first.id))) ?? assert.fail('nothing was kept');
    const names = [...(await readTree(vault, commit)).keys()].toSorted();
    assert.deepEqual(names, ['old.txt', 'wrong.txt']);
  },
);

test(
  'a workspace that is cancelled while files are read is created whole by the next call',
  { timeout: 300_000 },
  async () => {
    await using dir = await tempDir();
    const root = await realpath(dir.path);
    const [project, stateDir] = [join(root, 'project'), join(root, 'home')];
    await mkdir(project);
    for (const name of ['a', 'b', 'c']) await writeFile(join(project, name), name);
    const cancel = new AbortController();
    const progress: (string | null)[] = [];
    const ports = {
      stateDir,
      findEarlierWork: async () => undefined,
      onPreparing: (run: string, at: TreeProgress | null) => {
        assert.equal(run, RUN);
        progress.push(at === null ? null : `${at.stage} ${at.done ?? ''} ${at.total ?? ''}`.trim());
        if (at?.done === 2) cancel.abort();
      },
    };
    const input = { project, sandbox: defaultSettings.sandbox };
    await assert.rejects(
      runWorkspace(RUN, input, ports, { ...git, signal: cancel.signal }),
      (error) => isRefusal(error, 'workspace.interrupted'),
    );
    assert.deepEqual(progress, ['reading 1 3', 'reading 2 3', null]);
    progress.length = 0;
    const workspace = await runWorkspace(RUN, input, ports, git);
    workspace.release();
    assert.equal(await readFile(join(workspace.work, 'c'), 'utf8'), 'c');
    assert.deepEqual(progress.slice(-3), ['writing', 'committing', null]);
  },
);

test('the run of a step starts with the named work, on its base, or not at all', async () => {
  await using dir = await tempDir();
  const root = await realpath(dir.path);
  const [project, stateDir] = [join(root, 'project'), join(root, 'home')];
  await mkdir(project);
  await writeFile(join(project, 'a.txt'), 'base');
  const open = (run: RunId, earlier?: EarlierCommit): Promise<Workspace> =>
    runWorkspace(
      run,
      { project, sandbox: defaultSettings.sandbox },
      { stateDir, findEarlierWork: async () => earlier },
      git,
    );

  const first = await open(RUN);
  await writeFile(join(first.work, 'b.txt'), 'by the first step');
  const { commit } = await commitWorkspace(first.id, git);
  first.release();
  await writeFile(join(project, 'a.txt'), 'edited by the user meanwhile');

  const earlier = { workspace: first.id, commit, isRequired: true } as const;
  const second = await open('b000000000' as RunId, earlier);
  assert.equal(second.record.base, first.record.base);
  assert.equal(await readFile(join(second.work, 'a.txt'), 'utf8'), 'base');
  assert.equal(await readFile(join(second.work, 'b.txt'), 'utf8'), 'by the first step');
  const unchanged = await commitWorkspace(second.id, git);
  assert.equal(unchanged.isChanged, false, 'it has changed nothing itself');
  assert.deepEqual(
    unchanged.changes.map(({ path }) => path),
    ['b.txt'],
    'its work has what the first step did',
  );
  second.release();

  const gone = { ...earlier, commit: '1'.repeat(40) };
  await assert.rejects(open('c000000000' as RunId, gone), (error) =>
    isRefusal(error, 'workspace.not-found'),
  );
});
