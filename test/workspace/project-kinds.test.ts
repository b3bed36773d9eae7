/** Every kind of project a user may have, with real git. */
import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { TREE_LIMITS } from '../../src/workspace/tree-limits.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import type { WorkspaceHarness } from './workspace-harness.ts';
import { workspaceHarness, read, userGit, write } from './workspace-harness.ts';
import { refusedAs, short } from './apply-fixture.ts';

describe('a clear note for each special project', () => {
  const cases: [why: string, prepare: (b: WorkspaceHarness) => Promise<void>, notes: object][] = [
    [
      'before the first commit',
      async (b) => {
        await rm(join(b.project, '.git'), { recursive: true });
        await b.git('init', '--quiet');
      },
      { untracked: ['a.txt'], 'unborn-head': 1 },
    ],
    [
      'no branch',
      async (b) => void (await b.git('checkout', '--quiet', '--detach')),
      { 'detached-head': 1 },
    ],
    [
      'a sparse checkout',
      async (b) => {
        await write(b.project, { 'in/x': '1', 'out/y': '2' });
        await b.git('add', '--all');
        await b.git('commit', '--quiet', '--message=more');
        await b.git('sparse-checkout', 'set', 'in');
      },
      { sparse: ['out/y'], 'no-history': 1 },
    ],
    [
      'a sparse checkout that is off',
      async (b) => void (await b.git('config', 'core.sparseCheckout', 'no')),
      {},
    ],
    [
      'a partial clone',
      async (b) => {
        await b.git('config', 'extensions.partialClone', 'origin');
        await b.git('config', 'core.repositoryFormatVersion', '1');
      },
      { 'partial-clone': 1, 'no-history': 1 },
    ],
    [
      'large files elsewhere (LFS)',
      async (b) => {
        await write(b.project, {
          '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
          'x.bin': 'version https://git-lfs',
        });
      },
      { untracked: ['.gitattributes', 'x.bin'], lfs: ['.gitattributes'] },
    ],
    [
      'a merge under way',
      async (b) => {
        await b.git('checkout', '--quiet', '-b', 'other');
        await write(b.project, { 'a.txt': 'other' });
        await b.git('commit', '--quiet', '-am', 'other');
        await b.git('checkout', '--quiet', 'main');
        await write(b.project, { 'a.txt': 'main' });
        await b.git('commit', '--quiet', '-am', 'main');
        await b.git('merge', 'other').catch(() => {}); // it conflicts
      },
      { unmerged: ['a.txt'], uncommitted: ['a.txt'] },
    ],
    [
      'names that differ in case only, and symlinks that lead out',
      async (b) =>
        write(b.project, { 'A.txt': 'A', out: { to: '/etc/passwd' }, up: { to: '../../x' } }),
      {
        untracked: ['A.txt', 'out', 'up'],
        'escaping-symlink': ['out', 'up'],
        'case-collision': ['A.txt', 'a.txt'],
      },
    ],
    [
      'a repository inside',
      async (b) => {
        await write(b.project, { 'sub/f': 'x' });
        await userGit(join(b.project, 'sub'), b.home, ['init', '--quiet']);
      },
      { 'nested-repository': ['sub'] },
    ],
  ];
  for (const [why, prepare, notes] of cases) {
    test(why, async () => {
      await using b = await workspaceHarness({ 'a.txt': 'a' });
      await prepare(b);
      const ws = await b.make();
      assert.deepEqual(short(ws.record.notes), notes);
      assert.deepEqual((await commitWorkspace(ws.id, b.ports)).changes, []);
      assert.equal(await userGit(ws.work, b.home, ['status', '--porcelain']), '');
    });
  }

  test('a submodule is an empty folder, and still one in the history', async () => {
    await using other = await workspaceHarness({ 'lib.txt': 'lib' });
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    await b.git('submodule', '--quiet', 'add', other.project, 'lib');
    await b.git('commit', '--quiet', '--message=lib');
    const ws = await b.make();
    assert.deepEqual(short(ws.record.notes), { submodule: ['lib'] });
    assert.deepEqual(Object.keys(await read(ws.work)), ['.gitmodules', 'a.txt']);
    assert.match(await userGit(ws.work, b.home, ['ls-tree', 'HEAD', 'lib']), /^160000 /);
    assert.equal(await userGit(ws.work, b.home, ['status', '--porcelain']), '');
  });

  test('a linked worktree and a folder inside the tree', async () => {
    await using b = await workspaceHarness({ 'in/a.txt': 'a' });
    const linked = join(b.home, '..', 'linked');
    await b.git('worktree', 'add', '--quiet', linked, '-b', 'side');
    const ws = await b.make({ path: join(linked, 'in') });
    assert.deepEqual(short(ws.record.notes), { 'linked-worktree': 1 });
    assert.deepEqual([ws.cwd, await read(ws.cwd)], [join(ws.work, 'in'), { 'a.txt': 'a' }]);
    assert.equal((await userGit(ws.work, b.home, ['branch', '--show-current'])).trim(), 'side');
  });

  test('a shallow clone keeps the history that it has', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    await b.git('commit', '--quiet', '--allow-empty', '--message=second');
    const shallow = join(b.home, '..', 'shallow');
    await b.git('clone', '--quiet', '--depth=1', `file://${b.project}`, shallow);
    const ws = await b.make({ path: shallow });
    assert.deepEqual(short(ws.record.notes), { shallow: 1 });
    assert.equal(await userGit(ws.work, b.home, ['log', '--format=%s']), 'second\n');
  });

  test('a repository with SHA-256 hashes', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a' }, { plain: true });
    await b.git('init', '--quiet', '--object-format=sha256');
    await b.git('add', '--all');
    await b.git('commit', '--quiet', '--message=first');
    const ws = await b.make();
    assert.deepEqual(short(ws.record.notes), { 'other-hash': 1, 'no-history': 1 });
    assert.deepEqual(await read(ws.work), { 'a.txt': 'a' });
  });
});

describe('refused projects', () => {
  const limits = { ...TREE_LIMITS, fileBytesMax: 1000, filesMax: 3, bytesMax: 1500 };
  const cases: [
    why: string,
    code: string,
    prepare: (b: WorkspaceHarness) => Promise<Partial<Parameters<WorkspaceHarness['make']>[0]>>,
  ][] = [
    [
      'a bare repository',
      'workspace.unsupported',
      async (b) => {
        const bare = join(b.home, '..', 'bare.git');
        await b.git('init', '--quiet', '--bare', bare);
        return { path: bare };
      },
    ],
    [
      'the inside of .git',
      'workspace.unsupported',
      async (b) => ({ path: join(b.project, '.git') }),
    ],
    [
      'a folder that is not there',
      'workspace.unsupported',
      async (b) => ({ path: join(b.project, 'x') }),
    ],
    ['a whole home', 'workspace.unsupported', async (b) => ({ path: join(b.project, '../user') })],
    [
      'a parent of the home',
      'workspace.unsupported',
      async (b) => ({ path: join(b.project, '..') }),
    ],
    ['our own state', 'workspace.unsupported', async (b) => ({ home: join(b.project) })],
    [
      'a .git that is none',
      'workspace.unsupported',
      async (b) => {
        await rm(join(b.project, '.git'), { recursive: true });
        await mkdir(join(b.project, '.git'));
        return {};
      },
    ],
    [
      'a file that is too large',
      'workspace.too-large',
      async (b) => {
        await write(b.project, { big: 'x'.repeat(1001) });
        return { limits };
      },
    ],
    [
      'too many files',
      'workspace.too-large',
      async (b) => {
        await write(b.project, { b: '', c: '', d: '' });
        return { limits };
      },
    ],
    [
      'too much in all',
      'workspace.too-large',
      async (b) => {
        await write(b.project, { b: 'x'.repeat(900), c: 'y'.repeat(900) });
        return { limits };
      },
    ],
  ];
  for (const [why, code, prepare] of cases) {
    test(why, async () => {
      await using b = await workspaceHarness({ 'a.txt': 'a' });
      await assert.rejects(b.make(await prepare(b)), refusedAs(code));
    });
  }

  test('a workspace that is in use', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    const ws = await b.make();
    await assert.rejects(b.make(), refusedAs('workspace.busy'));
    ws.release();
    (await b.make()).release();
  });
});
