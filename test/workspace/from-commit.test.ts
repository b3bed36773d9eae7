/** A workspace that starts from an earlier commit of the user: its files, and a history that ends with it. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findCommit } from '../../src/workspace/commit-snapshot.ts';
import { createWorkspace } from '../../src/workspace/create-workspace.ts';
import { inspectProject } from '../../src/workspace/project.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import { parseRunId } from '../../src/base/ids.ts';
import { refusedAs } from './apply-fixture.ts';
import type { WorkspaceHarness } from './workspace-harness.ts';
import { read, userGit, workspaceHarness, write } from './workspace-harness.ts';

/** Two commits, and a change that is not committed. */
async function withHistory(): Promise<WorkspaceHarness & { readonly first: string }> {
  const at = await workspaceHarness({ 'a.txt': 'one', run: { x: '#!/bin/sh\n' } });
  const first = (await at.git('rev-parse', 'HEAD')).trim();
  await write(at.project, { 'a.txt': 'two', 'b.txt': 'the answer' });
  await at.git('add', '--all');
  await at.git('commit', '--quiet', '--message=the answer');
  await write(at.project, { 'a.txt': 'three', 'c.txt': 'new' });
  return { ...at, first };
}

describe('a workspace that starts from a commit', () => {
  test('has the files of that commit, and no later file or commit', async () => {
    await using at = await withHistory();
    const { work, record, release } = await at.make({ from: at.first });
    release();
    assert.deepEqual(await read(work), { 'a.txt': 'one', run: { x: '#!/bin/sh\n' } });
    assert.equal(record.head, at.first);
    const log = await userGit(work, at.home, ['log', '--all', '--format=%H']);
    assert.equal(log.trim(), at.first);
    assert.equal((await userGit(work, at.home, ['status', '--porcelain'])).trim(), '');
  });

  test('is the base of every run that continues its work', async () => {
    await using at = await withHistory();
    const first = await at.make({ from: at.first });
    await writeFile(join(first.work, 'a.txt'), 'mine');
    first.release();
    const { commit } = await commitWorkspace(first.id, at.ports);
    const run = parseRunId('fedcba9876') ?? assert.fail();
    const next = await createWorkspace(
      {
        ...{ path: at.project, home: at.home, run, attempt: 1 },
        findEarlierWork: async () => ({ workspace: first.id, commit }),
      },
      at.ports,
    );
    next.release();
    assert.deepEqual(await read(next.work), { 'a.txt': 'mine', run: { x: '#!/bin/sh\n' } });
    const log = await userGit(next.work, at.home, ['log', '--all', '--format=%s']);
    assert.doesNotMatch(log, /the answer/);
  });

  test('of links has the links, and follows none', async () => {
    await using at = await workspaceHarness({ 'a.txt': 'one' });
    await symlink('/etc/hostname', join(at.project, 'link'));
    await at.git('add', '--all');
    await at.git('commit', '--quiet', '--message=link');
    const from = (await at.git('rev-parse', 'HEAD')).trim();
    const { work, release } = await at.make({ from });
    release();
    assert.deepEqual((await read(work))['link'], { to: '/etc/hostname' });
  });

  test('is refused in a folder without git', async () => {
    await using at = await workspaceHarness({ 'a.txt': 'one' }, { plain: true });
    await assert.rejects(at.make({ from: '1'.repeat(40) }), refusedAs('workspace.unsupported'));
    assert.ok(existsSync(join(at.project, 'a.txt')));
  });
});

describe('the name of a commit', () => {
  const names: [name: string, isFound: boolean][] = [
    ['HEAD~1', true],
    ['main~1', true],
    ['HEAD~7', false],
    ['HEAD:a.txt', false],
    ['--all', false],
    ['nothing', false],
  ];
  for (const [name, isFound] of names)
    test(`${name} is ${isFound ? 'found' : 'unknown'}`, async () => {
      await using at = await withHistory();
      const project = await inspectProject(at.ports, { path: at.project, home: at.home });
      assert.equal(await findCommit(at.ports, project, name), isFound ? at.first : undefined);
    });
});
