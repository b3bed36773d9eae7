/** Supervisor uses git on an agent's tree; no program that the agent planted there runs. */
import assert from 'node:assert/strict';
import { chmod, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { executeBranchApply, planBranch } from '../../src/workspace/apply/apply-to-branch.ts';
import { executeApply, planApply } from '../../src/workspace/apply/apply.ts';
import { compareWorkspace, countLines, diffText } from '../../src/workspace/compare.ts';
import { discardWorkspace, commitWorkspace } from '../../src/workspace/commit-work.ts';
import { openShadowRepo } from '../../src/workspace/shadow-repo.ts';
import { workspacePaths } from '../../src/workspace/workspace.ts';
import { isRefusal } from '../../src/base/errors.ts';
import type { WorkspaceHarness } from './workspace-harness.ts';
import { workspaceHarness, userGit, write } from './workspace-harness.ts';
import type { Attack } from './attacks.ts';
import { ATTACKS } from './attacks.ts';
import type { Workspace } from '../../src/workspace/create-workspace.ts';

const FILES = { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' };

type Scene = {
  readonly b: WorkspaceHarness;
  readonly ws: Workspace;
  readonly hasFired: () => Promise<boolean>;
};

async function plant(b: WorkspaceHarness, { plant }: Attack): Promise<Scene> {
  const ws = await b.make();
  const trap = join(b.home, 'trap.sh');
  const mark = join(b.home, 'fired');
  await writeFile(trap, `#!/bin/sh\ntouch "${mark}"\nexit 1\n`);
  await chmod(trap, 0o755);
  await write(ws.work, { 'a.txt': 'one\nTWO\nthree\n', 'new.txt': 'new\n' });
  const git = (...args: readonly string[]): Promise<string> => userGit(ws.work, b.home, args);
  await plant({ work: ws.work, trap, git });
  const hasFired = (): Promise<boolean> =>
    stat(mark).then(
      () => true,
      () => false,
    );
  assert.equal(await hasFired(), false, 'planting fired the trap itself');
  return { b, ws, hasFired };
}

/** Every operation on a workspace. A refusal to apply is fine here; running the trap is not. */
async function useAll({ b, ws }: Scene): Promise<void> {
  const comparison = await compareWorkspace(ws.id, b.ports);
  const changed = comparison.changes.map(({ path }) => path);
  for (const path of ['a.txt', 'new.txt']) assert.ok(changed.includes(path), `${path} is seen`);
  const vault = await openShadowRepo(workspacePaths(ws.id).project, b.ports);
  await countLines(vault, comparison.base, comparison.result);
  assert.match((await diffText(vault, comparison)).text, /^\+TWO$/m);
  const saved = await commitWorkspace(ws.id, b.ports);
  await write(b.project, { 'a.txt': 'one\ntwo\nthree\nfour\n' }); // so that there is something to merge
  const request = { commit: saved.commit, symlinks: 'inside' } as const;
  try {
    await executeBranchApply(
      await planBranch(ws.id, b.ports, { ...request, branch: 'b' }),
      b.ports,
    );
    await executeApply(await planApply(ws.id, b.ports, request), b.ports);
  } catch (error) {
    if (!isRefusal(error)) throw error; // a defect is never fine
  }
  ws.release();
  await discardWorkspace(ws.id, b.ports);
  await b.make({ attempt: 2, continues: 1 }).then((again) => again.release());
}

/** What a person, or a careless program, does in a repository. */
async function useCarelessly({ b, ws }: Scene): Promise<void> {
  const verbs = [
    ['status'],
    ['diff'],
    ['add', '--all'],
    ['commit', '--message=x'],
    ['log', '-p'],
    ['-c', 'core.pager=false', '--paginate', 'log'],
    ['commit', '--amend'],
    ['checkout', '-b', 'other', 'HEAD~1'],
    ['commit', '--allow-empty', '--message=y'],
    ['merge', '--no-edit', '-'],
    ['fetch'],
    ['submodule', 'update', '--init'],
  ];
  // A change on each side, so that a merge has work to do.
  await write(ws.work, { 'a.txt': 'one\nTWO\nthree\n' });
  for (const verb of verbs) await userGit(ws.work, b.home, verb).catch(() => {}); // some must fail
  await userGit(ws.work, b.home, ['checkout', '-b', 'left']).catch(() => {});
  await write(ws.work, { 'a.txt': 'left\n' });
  await userGit(ws.work, b.home, ['commit', '-a', '--message=left']).catch(() => {});
  await userGit(ws.work, b.home, ['checkout', '-b', 'right', 'HEAD~1']).catch(() => {});
  await write(ws.work, { 'a.txt': 'right\n' });
  await userGit(ws.work, b.home, ['commit', '-a', '--message=right']).catch(() => {});
  await userGit(ws.work, b.home, ['merge', '--no-edit', 'left']).catch(() => {});
}

describe('a program that an agent plants in its repository never runs', () => {
  test('there are at least the fourteen known ways', () => assert.ok(ATTACKS.length >= 14));

  for (const attack of ATTACKS) {
    test(attack.name, async () => {
      await using b = await workspaceHarness(FILES);
      const scene = await plant(b, attack);
      await useAll(scene);
      assert.equal(await scene.hasFired(), false);
    });
  }

  for (const attack of ATTACKS.filter(({ worksOnPlainGit }) => worksOnPlainGit)) {
    test(`careless use of git does run: ${attack.name}`, async () => {
      await using b = await workspaceHarness(FILES);
      const scene = await plant(b, attack);
      await useCarelessly(scene);
      assert.equal(await scene.hasFired(), true);
    });
  }
});

test("case 12a: overwriting every object in the workspace leaves the user's repository intact", async () => {
  await using b = await workspaceHarness(FILES);
  for (const round of [1, 2, 3]) {
    await write(b.project, { [`f${round}.txt`]: `${round}\n`.repeat(100) });
    await b.git('add', '--all');
    await b.git('commit', '--quiet', `--message=${round}`);
  }
  await b.git('repack', '-d', '--quiet'); // packs and loose objects alike
  await write(b.project, { 'late.txt': 'late\n' });
  await b.git('add', 'late.txt');
  await b.git('commit', '--quiet', '--message=late');
  const ws = await b.make();
  const objects = join(ws.work, '.git', 'objects');
  let overwritten = 0;
  for (const name of await readdir(objects, { recursive: true })) {
    const path = join(objects, name);
    const found = await stat(path);
    if (!found.isFile()) continue;
    assert.equal(found.nlink, 1, `${name} is shared`);
    await chmod(path, 0o644);
    await using file = await open(path, 'r+');
    await file.write('garbage that is no object', 0);
    overwritten += 1;
  }
  assert.ok(overwritten > 5);
  await b.git('fsck', '--strict', '--full');
  assert.equal(await readFile(join(b.project, 'f3.txt'), 'utf8'), '3\n'.repeat(100));
  const saved = await commitWorkspace(ws.id, b.ports);
  assert.deepEqual(saved.changes, []);
  await userGit(workspacePaths(ws.id).project, b.home, [
    '--git-dir=vault.git',
    'fsck',
    '--strict',
    '--full',
  ]);
});
