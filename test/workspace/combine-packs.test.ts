import assert from 'node:assert/strict';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDurable } from '../../src/workspace/make-durable.ts';
import type { ShadowRepo } from '../../src/workspace/shadow-repo.ts';
import {
  gitInRepo,
  oneLineOutput,
  openShadowRepo,
  readTree,
  writeCommit,
  writeRef,
  writeTree,
} from '../../src/workspace/shadow-repo.ts';
import { workspacePaths } from '../../src/workspace/workspace.ts';
import { workspaceHarness } from './workspace-harness.ts';

/** As many as one more run makes the runs combine the packs. */
const PACKS_BEFORE = 40;
const RUNS = 48;

/** The work of one run: a commit with one file of its own, on a ref. */
async function commitWork(repo: ShadowRepo, name: string): Promise<string> {
  const written = await gitInRepo(repo, ['hash-object', '-w', '--stdin'], { stdin: name });
  const file = { mode: '100644', id: oneLineOutput(written), bytes: name.length } as const;
  const tree = await writeTree(repo, new Map([[name, file]]));
  const commit = await writeCommit(repo, { tree, parents: [], message: name, atMs: 0 });
  await makeDurable(repo, commit);
  await writeRef(repo, `refs/test/${name}`, commit);
  return commit;
}

async function countPacks(repo: ShadowRepo): Promise<number> {
  const names = await readdir(join(repo.objectsDir, 'pack'));
  return names.filter((name) => name.endsWith('.pack')).length;
}

/** Another process has a queue of its own. So does another path of the same repository. */
async function seenByAnotherProcess(repo: ShadowRepo): Promise<ShadowRepo> {
  const gitDir = join(repo.scratchDir, 'same.git');
  await symlink(repo.gitDir, gitDir);
  return { ...repo, gitDir, objectsDir: join(gitDir, 'objects') };
}

for (const [who, isShared] of [
  ['one process', false],
  ['two processes', true],
] as const)
  test(`runs of ${who} that end together combine the packs of a project, and all of them succeed`, async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    const { id } = await b.make();
    const repo = await openShadowRepo(workspacePaths(id).project, b.ports);
    const other = isShared ? await seenByAnotherProcess(repo) : repo;
    for (let n = await countPacks(repo); n < PACKS_BEFORE; n++)
      await commitWork(repo, `early-${n}`);
    assert.equal(await countPacks(repo), PACKS_BEFORE);
    const names = Array.from({ length: RUNS }, (_, n) => `run-${n}`);
    const commits = await Promise.all(
      names.map((name, n) => commitWork(n % 2 === 0 ? repo : other, name)),
    );
    assert.ok((await countPacks(repo)) < PACKS_BEFORE + RUNS, 'no pack was combined');
    const trees = await Promise.all(commits.map((commit) => readTree(repo, commit)));
    assert.deepEqual(
      trees.map((tree) => [...tree.keys()]),
      names.map((name) => [name]),
    );
    await gitInRepo(repo, ['fsck', '--strict', '--no-dangling']);
  });

test('a folder of objects stays when it is empty, so that no run writes into a folder that is gone', async () => {
  await using b = await workspaceHarness({ 'a.txt': 'a' });
  const { id } = await b.make();
  const repo = await openShadowRepo(workspacePaths(id).project, b.ports);
  await commitWork(repo, 'work');
  const folders = (await readdir(repo.objectsDir)).filter((name) => name.length === 2);
  assert.equal(folders.length, 256);
});
