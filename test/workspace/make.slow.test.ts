import assert from 'node:assert/strict';
import { mkdir, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunId } from '../../src/base/ids.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import { findExcludesFile } from '../../src/workspace/project.ts';
import { recoverOrphans } from '../../src/workspace/recover.ts';
import { workspacePaths } from '../../src/workspace/workspace.ts';
import { ManualClock } from '../../src/testing/fakes/manual-clock.ts';
import { workspaceHarness, read, RUN, userGit, write } from './workspace-harness.ts';
import { refusedAs, short } from './apply-fixture.ts';

describe('an agent gets the files that the user sees', () => {
  test('committed, uncommitted, staged and new files, but no ignored ones', async () => {
    await using b = await workspaceHarness({
      'a.txt': 'one\n',
      'gone.txt': 'x',
      'run.sh': { x: '#!/bin/sh\n' },
      '.gitignore': 'out/\n',
      link: { to: 'a.txt' },
      'out/tracked': 'although ignored',
    });
    await write(b.project, {
      'a.txt': 'two\n',
      'new.txt': 'new\n',
      'out/x': '1',
      'staged.txt': 's',
    });
    await rm(join(b.project, 'gone.txt'));
    await b.git('add', 'staged.txt');
    const before = [await b.git('status', '--porcelain'), await b.git('for-each-ref')];
    const ws = await b.make();
    assert.deepEqual(await read(ws.work), {
      '.gitignore': 'out/\n',
      'a.txt': 'two\n',
      link: { to: 'a.txt' },
      'new.txt': 'new\n',
      'out/tracked': 'although ignored',
      'run.sh': { x: '#!/bin/sh\n' },
      'staged.txt': 's',
    });
    assert.deepEqual([await b.git('status', '--porcelain'), await b.git('for-each-ref')], before);
    assert.deepEqual(short(ws.record.notes), {
      untracked: ['new.txt'],
      uncommitted: ['a.txt', 'gone.txt'],
    });
  });

  test('with a repository of its own: clean, with the history, on the same branch', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'one\n' });
    await write(b.project, { 'a.txt': 'two\n' });
    const ws = await b.make({ identity: { name: 'Ann', email: 'ann@example.test' } });
    const git = (...args: readonly string[]) => userGit(ws.work, b.home, args);
    assert.deepEqual(
      [
        await git('status', '--porcelain'),
        await git('log', '--format=%an %s'),
        await git('branch'),
      ],
      ['', 'Ann The state when the work began\nUser first\n', '* main\n'],
    );
    assert.equal((await git('config', 'user.name')).trim(), 'Ann');
    await git('fsck', '--strict');
  });

  test('a folder without a repository is copied, by its own rules', async () => {
    const files = { 'a.txt': 'a', '.gitignore': 'out\n', 'deep/b': { x: 'b' } };
    await using b = await workspaceHarness(files, { plain: true });
    await write(b.project, { 'out/x': 'ignored', 'deep/out': 'ignored' });
    const ws = await b.make();
    assert.deepEqual([await read(ws.work), ws.record.kind, ws.record.notes], [files, 'folder', []]);
    assert.deepEqual((await commitWorkspace(ws.id, b.ports)).changes, []);
  });

  test('names are copied as they are', async () => {
    const files = {
      'a b': '1',
      'new\nline': '2',
      '"quoted"': '3',
      ':(glob)*': '4',
      '*.txt': '5',
      'ünïcode/日本': '6',
      '-flag': '7',
      '!not': '8',
      'back\\slash': '9',
      '#hash': '10',
    };
    await using b = await workspaceHarness(files);
    const ws = await b.make();
    assert.deepEqual(await read(ws.work), files);
    await write(ws.work, { 'an\nother': 'x', ':top': 'y', '#hash': 'z' });
    const { changes } = await commitWorkspace(ws.id, b.ports);
    assert.deepEqual(
      changes.map(({ path, kind }) => [path, kind]),
      [
        ['#hash', 'modified'],
        [':top', 'added'],
        ['an\nother', 'added'],
      ],
    );
  });

  test('bytes are copied as they are: attributes and filters convert nothing', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    await b.git('config', 'filter.f.clean', 'sed s/visible/hidden/');
    await b.git('config', 'filter.f.smudge', 'sed s/hidden/visible/');
    const rules =
      '*.crlf text eol=crlf\n*.f filter=f\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n';
    const files = {
      '.gitattributes': rules,
      'x.crlf': 'a\r\nb\r\n',
      'x.f': 'visible\n',
      'x.id': '$Id$\n',
    };
    await write(b.project, files);
    await b.git('add', '--all');
    await b.git('commit', '--quiet', '--message=converted');
    const ws = await b.make();
    assert.deepEqual(await read(ws.work), { 'a.txt': 'a', ...files });
    assert.equal(short(ws.record.notes)['untracked'], undefined);
    assert.deepEqual((await commitWorkspace(ws.id, b.ports)).changes, []);
  });
});

describe('a further attempt', () => {
  test('continues with the partial work of another, or starts from the base', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'one\n', 'b.txt': 'b' });
    const first = await b.make();
    await write(first.work, { 'a.txt': 'half done\n', 'new.sh': { x: 'new' } });
    await rm(join(first.work, 'b.txt'));
    await commitWorkspace(first.id, b.ports);
    await write(b.project, { 'a.txt': 'the user goes on\n' });

    const second = await b.make({ attempt: 2, continues: 1 });
    assert.deepEqual(await read(second.work), { 'a.txt': 'half done\n', 'new.sh': { x: 'new' } });
    assert.deepEqual([second.record.base, second.record.continues], [first.record.base, 1]);
    const saved = await commitWorkspace(second.id, b.ports);
    assert.deepEqual(
      saved.changes.map(({ path, kind }) => `${kind} ${path}`),
      ['modified a.txt', 'deleted b.txt', 'added new.sh'],
    );

    const third = await b.make({ attempt: 3 });
    assert.deepEqual(await read(third.work), { 'a.txt': 'the user goes on\n', 'b.txt': 'b' });
    await assert.rejects(b.make({ attempt: 4, continues: 3 }), refusedAs('workspace.not-found'));
  });

  test('that died finds its tree as it left it', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'one\n' });
    const ws = await b.make();
    await write(ws.work, { 'a.txt': 'work\n' });
    ws.release();
    const again = await b.make();
    assert.deepEqual(await read(again.work), { 'a.txt': 'work\n' });
  });

  test('whose tree was not finished gets a new one', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'one\n' });
    const ws = await b.make();
    ws.release();
    await rm(join(ws.work, '..', 'record.json'));
    await write(ws.work, { half: 'made' });
    assert.deepEqual(await read((await b.make()).work), { 'a.txt': 'one\n' });
  });
});

test("the user's global ignore rules leave files out", async () => {
  await using b = await workspaceHarness({ 'a.txt': 'a' });
  const userHome = join(b.home, '..', 'user');
  assert.equal(await findExcludesFile(b.ports, userHome), undefined);
  await write(userHome, { '.config/git/ignore': '*.env\n', mine: 'secret.env\n' });
  const usual = join(userHome, '.config/git/ignore');
  assert.equal(await findExcludesFile(b.ports, userHome), await realpath(usual));
  await write(userHome, { '.gitconfig': '[core]\n\texcludesFile = ~/mine\n' });
  const excludesFile = await findExcludesFile(b.ports, userHome);
  assert.equal(excludesFile, join(userHome, 'mine'));

  await write(b.project, { 'secret.env': 'KEY=1' });
  const ws = await b.make({ excludesFile });
  assert.deepEqual(await read(ws.work), { 'a.txt': 'a' });
  await write(ws.work, { 'secret.env': 'KEY=2' });
  assert.deepEqual((await commitWorkspace(ws.id, b.ports)).changes, []);
  assert.equal(await userGit(ws.work, b.home, ['status', '--porcelain']), '');
});

test('leftovers of a killed owner are removed, but no work', async () => {
  const clock = new ManualClock(1_000_000);
  await using b = await workspaceHarness({ 'a.txt': 'a' }, { clock });
  const [half, whole, live] = [
    await b.make(),
    await b.make({ attempt: 2 }),
    await b.make({ attempt: 3 }),
  ];
  const { project } = workspacePaths(half.id);
  half.release(); // as the kernel does when the owner is killed
  whole.release();
  for (const place of [half.id, live.id]) await rm(workspacePaths(place).record);
  await mkdir(join(project, 'scratch', `scratch-${process.pid}-1-abc`));
  const halves = [
    join(project, '.0123456789abcdef.tmp'),
    join(project, 'apply.lock.holder'),
    `${workspacePaths(whole.id).lock}.holder`,
    `${workspacePaths(whole.id).lock}.holder.0123456789ab`,
    join(project, 'vault.git/objects/tmp_obj_a'),
    join(project, 'vault.git/refs/supervisor/1.lock'),
  ];
  await mkdir(join(project, 'vault.git/refs/supervisor'), { recursive: true });
  for (const path of halves) await writeFile(path, '');
  await writeFile(join(whole.work, '.0123456789abcdef.tmp'), ''); // an agent's file, if it likes such names
  const under = (path: string): string => path.slice(b.home.length + 1);
  assert.deepEqual(await recoverOrphans(b.home, b.ports), {
    unfinished: [under(join(half.work, '..'))],
    scratch: [under(join(project, 'scratch', `scratch-${process.pid}-1-abc`))],
    partials: halves.map(under),
  });
  assert.deepEqual(await recoverOrphans(b.home, b.ports), {
    unfinished: [],
    scratch: [],
    partials: [],
  });
  assert.deepEqual(
    [await read(whole.work), await read(live.work), await readdir(join(project, 'trees', RUN))],
    [
      { 'a.txt': 'a', '.0123456789abcdef.tmp': '' },
      { 'a.txt': 'a' }, // its lock is held: its creation is not complete
      ['1.lock', '2', '2.lock', '3', '3.lock', '3.lock.holder'],
    ],
  );
});

test('several attempts that begin at once in a new project each get a tree', async () => {
  for (let round = 0; round < 3; round += 1) {
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    const made = await Promise.all(
      ['a000000001', 'a000000002', 'a000000003'].map((run) => b.make({ run: run as RunId })),
    );
    for (const { work } of made) assert.deepEqual(await read(work), { 'a.txt': 'a' });
  }
});

test('a lock that a killed git of the agent left is removed when the attempt continues; its target is not', async () => {
  await using b = await workspaceHarness({ 'a.txt': 'a' });
  const first = await b.make();
  await writeFile(join(first.work, '.git/index.lock'), '');
  await symlink(join(b.project, 'a.txt'), join(first.work, '.git/HEAD.lock'));
  await mkdir(join(first.work, '.git/config.lock'));
  first.release();
  const { work } = await b.make();
  const names = await readdir(join(work, '.git'));
  assert.deepEqual(
    names.filter((name) => name.endsWith('.lock')),
    ['config.lock'],
  );
  assert.deepEqual(await read(b.project), { 'a.txt': 'a' });
});
