import assert from 'node:assert/strict';
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { at } from '../../src/base/clock.ts';
import type { ApplyInput } from '../../src/workspace/apply/apply.ts';
import { executeApply, planApply } from '../../src/workspace/apply/apply.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import { openShadowRepo, readRef, readTree } from '../../src/workspace/shadow-repo.ts';
import { beforeRef, workspacePaths } from '../../src/workspace/workspace.ts';
import type { Files } from './workspace-harness.ts';
import { workspaceHarness, read, write } from './workspace-harness.ts';
import { AFTER, EDITS, edit, FILES, plan, refusedAs } from './apply-fixture.ts';

describe('an apply to the files', () => {
  test("makes exactly the changes, and leaves the user's index alone", async () => {
    await using b = await workspaceHarness(FILES);
    await write(b.project, { 'mine.txt': 'untracked', 'a.txt': FILES['a.txt'] ?? '' });
    await chmod(join(b.project, 'a.txt'), 0o660);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const index = await b.git('ls-files', '--stage');
    const planned = await plan(b, ws);
    assert.deepEqual(await read(b.project), { ...FILES, 'mine.txt': 'untracked' });
    assert.deepEqual([planned.merged, planned.userChanges.count], [[], 0]);
    assert.deepEqual(JSON.parse(JSON.stringify(planned)), planned);
    assert.deepEqual(await executeApply(planned, b.ports), { kind: 'applied' });
    assert.deepEqual(await read(b.project), { ...AFTER, 'mine.txt': 'untracked' });
    assert.equal(await b.git('ls-files', '--stage'), index);
    assert.equal((await stat(join(b.project, 'a.txt'))).mode & 0o777, 0o660);
    const vault = await openShadowRepo(workspacePaths(ws.id).project, b.ports);
    const before = await readTree(vault, (await readRef(vault, beforeRef(ws.id))) ?? '');
    assert.deepEqual([...before.keys()], [...Object.keys(FILES), 'mine.txt'].toSorted());
  });

  test("merges the user's changes elsewhere in the same file, and says so", async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    await write(b.project, {
      'a.txt': { x: 'ONE\n2\n3\n4\n5\n6\n7\n8\n9\n' },
      'other.txt': 'mine',
    });
    const planned = await plan(b, ws);
    assert.deepEqual(planned.merged, ['a.txt']);
    assert.deepEqual(planned.userChanges, { count: 2, names: ['a.txt', 'other.txt'] });
    await executeApply(planned, b.ports);
    assert.deepEqual(await read(b.project), {
      ...AFTER,
      'a.txt': { x: 'ONE\n2\n3\n4\n5\n6\n7\n8\nNINE\n' },
      'other.txt': 'mine',
    });
  });

  test('is done again if the user took it out in the same second', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await edit(ws.work, { 'a.txt': 'new\n' });
    const second = Math.floor(Date.now() / 1000) * 1000;
    for (const ms of [1, 2]) {
      const ports = { ...b.ports, clock: { ...b.ports.clock, now: () => at(second + ms) } };
      await write(b.project, { 'a.txt': FILES['a.txt'] ?? '' });
      const planned = await plan({ ...b, ports }, ws);
      assert.deepEqual(await executeApply(planned, ports), { kind: 'applied' });
      assert.deepEqual(await read(b.project), { ...FILES, 'a.txt': 'new\n' });
    }
  });

  test('changes nothing that the user has done as well', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    await edit(b.project, EDITS);
    const planned = await plan(b, ws);
    assert.deepEqual(planned.edits, []);
    assert.deepEqual(await executeApply(planned, b.ports), { kind: 'applied' });
  });

  const conflicts: [
    why: string,
    user: Readonly<Record<string, Files[string] | null>>,
    words: RegExp,
  ][] = [
    ['the same line', { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\nneun\n' }, /a\.txt/],
    ['a file deleted that was edited', { 'a.txt': null }, /a\.txt/],
    ['a file edited that was deleted', { 'b.txt': 'still needed' }, /b\.txt/],
    ['a new file where another one is new', { 'deep/er/new.sh': 'mine' }, /new\.sh/],
    [
      'an ignored file where one is new',
      { '.gitignore': 'deep\n', 'deep/er/new.sh': 'mine' },
      /new\.sh/,
    ],
    ['a symlink on the way', { deep: { to: '/tmp' } }, /new\.sh/],
    ['a file on the way', { deep: 'a file' }, /new\.sh/],
    ['bytes that are no text', { 'a.txt': '\0\0\0' }, /a\.txt/],
  ];
  for (const [why, user, words] of conflicts) {
    test(`is refused, and nothing touched: ${why}`, async () => {
      await using b = await workspaceHarness(FILES);
      const ws = await b.make();
      await edit(ws.work, EDITS);
      await edit(b.project, user);
      const before = await read(b.project);
      await assert.rejects(plan(b, ws), refusedAs('workspace.conflict', words));
      assert.deepEqual(await read(b.project), before);
    });
  }

  const unsafe: [why: string, work: Files, more: Partial<ApplyInput>, words: RegExp][] = [
    ['a symlink', { l: { to: 'a.txt' } }, {}, /"l" is a symlink\./],
    ['a symlink that leads out', { l: { to: '../../etc' } }, { symlinks: 'inside' }, /points out/],
    ['an absolute symlink', { l: { to: '/etc' } }, { symlinks: 'inside' }, /points out/],
    ['a symlink into git', { l: { to: '.git/hooks' } }, { symlinks: 'inside' }, /into git/],
    ['.GIT', { '.GIT/hooks/pre-commit': 'x' }, {}, /\.GIT.*name that git reserves/],
    ['git~1', { 'git~1/config': 'x' }, {}, /git~1/],
    ['.git with an ignorable letter', { '.g\u200cit/config': 'x' }, {}, /name that git reserves/],
    ['names that differ in case only', { 'B.TXT': 'x' }, {}, /differs from another/],
    [
      'a path that was not allowed',
      { 'elsewhere/x': 'x' },
      { allowed: ['dir/', '*.txt'] },
      /outside/,
    ],
  ];
  for (const [why, work, more, words] of unsafe) {
    test(`is refused, and nothing touched: ${why}`, async () => {
      await using b = await workspaceHarness(FILES);
      const ws = await b.make();
      await write(ws.work, work);
      await assert.rejects(plan(b, ws, more), refusedAs('workspace.unsafe-change', words));
      assert.deepEqual(await read(b.project), FILES);
    });
  }

  test('applies a symlink that stays inside if that is requested, and never writes through one', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await edit(ws.work, { 'dir/to-a': { to: '../a.txt' }, link: 'a file now' });
    await executeApply(await plan(b, ws, { symlinks: 'inside' }), b.ports);
    const now = await read(b.project);
    assert.deepEqual(
      [now['dir/to-a'], now['link'], now['a.txt']],
      [{ to: '../a.txt' }, 'a file now', FILES['a.txt']],
    );
  });

  test('applies only what the gates have judged', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const { commit } = await commitWorkspace(ws.id, b.ports);
    await write(ws.work, { late: 'after the gates' });
    await commitWorkspace(ws.id, b.ports);
    await assert.rejects(planApply(ws.id, b.ports, { commit }), refusedAs('workspace.not-found'));
  });
});

test('nothing of an apply is left in the tree, and a folder without a repository works as well', async () => {
  await using b = await workspaceHarness(FILES, { plain: true });
  const ws = await b.make();
  await edit(ws.work, EDITS);
  await executeApply(await plan(b, ws), b.ports);
  assert.deepEqual(await read(b.project), AFTER);
  assert.deepEqual((await readdir(b.project)).toSorted(), [
    'a.txt',
    'deep',
    'dir',
    'file',
    'link',
    'run.sh',
  ]);
});
