/** Every kind of project a user may have, with real git. */
import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../src/base/errors.ts';
import { TREE_LIMITS } from '../../src/workspace/limits.ts';
import { keepWorkspace } from '../../src/workspace/keep.ts';
import type { Note } from '../../src/workspace/snapshot.ts';
import { makeWorkspace } from '../../src/workspace/make.ts';
import type { Bench } from './bench.ts';
import { bench, read, RUN, userGit, write } from './bench.ts';

const refusedAs = (code: string) => (error: unknown) =>
  isRefusal(error) && error.data.code === code;
const short = (notes: readonly Note[]): Record<string, readonly string[] | number> =>
  Object.fromEntries(
    notes.map(({ kind, names, count }) => [kind, names.length > 0 ? names : count]),
  );

describe('an agent gets what the user sees', () => {
  test('committed, uncommitted, staged and new files, but none that is ignored', async () => {
    await using b = await bench({
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

  test('with a repository of its own: clean, with the history, under the same branch', async () => {
    await using b = await bench({ 'a.txt': 'one\n' });
    await write(b.project, { 'a.txt': 'two\n' });
    const ws = await b.make({ identity: { name: 'Ann', email: 'ann@example.test' } });
    const git = (...args: readonly string[]) => userGit(ws.work, b.home, args);
    assert.deepEqual(
      [
        await git('status', '--porcelain'),
        await git('log', '--format=%an %s'),
        await git('branch'),
      ],
      ['', 'Ann What was there when the work began\nUser first\n', '* main\n'],
    );
    assert.equal((await git('config', 'user.name')).trim(), 'Ann');
    await git('fsck', '--strict');
  });

  test('a folder that is no repository is copied, by its own rules', async () => {
    const files = { 'a.txt': 'a', '.gitignore': 'out\n', 'deep/b': { x: 'b' } };
    await using b = await bench(files, { plain: true });
    await write(b.project, { 'out/x': 'ignored', 'deep/out': 'ignored' });
    const ws = await b.make();
    assert.deepEqual([await read(ws.work), ws.record.kind, ws.record.notes], [files, 'folder', []]);
    assert.deepEqual((await keepWorkspace(ws.place, b.ports)).changes, []);
  });

  test('names are taken as they are', async () => {
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
    await using b = await bench(files);
    const ws = await b.make();
    assert.deepEqual(await read(ws.work), files);
    await write(ws.work, { 'an\nother': 'x', ':top': 'y', '#hash': 'z' });
    const { changes } = await keepWorkspace(ws.place, b.ports);
    assert.deepEqual(
      changes.map(({ path, kind }) => [path, kind]),
      [
        ['#hash', 'modified'],
        [':top', 'added'],
        ['an\nother', 'added'],
      ],
    );
  });

  test('bytes are taken as they are: attributes and filters convert nothing', async () => {
    await using b = await bench({ 'a.txt': 'a' });
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
    assert.deepEqual((await keepWorkspace(ws.place, b.ports)).changes, []);
  });
});

describe('a clear word for each special project', () => {
  const cases: [why: string, prepare: (b: Bench) => Promise<void>, notes: object][] = [
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
      await using b = await bench({ 'a.txt': 'a' });
      await prepare(b);
      const ws = await b.make();
      assert.deepEqual(short(ws.record.notes), notes);
      assert.deepEqual((await keepWorkspace(ws.place, b.ports)).changes, []);
      assert.equal(await userGit(ws.work, b.home, ['status', '--porcelain']), '');
    });
  }

  test('a submodule is an empty folder, and still one in the history', async () => {
    await using other = await bench({ 'lib.txt': 'lib' });
    await using b = await bench({ 'a.txt': 'a' });
    await b.git('submodule', '--quiet', 'add', other.project, 'lib');
    await b.git('commit', '--quiet', '--message=lib');
    const ws = await b.make();
    assert.deepEqual(short(ws.record.notes), { submodule: ['lib'] });
    assert.deepEqual(Object.keys(await read(ws.work)), ['.gitmodules', 'a.txt']);
    assert.match(await userGit(ws.work, b.home, ['ls-tree', 'HEAD', 'lib']), /^160000 /);
    assert.equal(await userGit(ws.work, b.home, ['status', '--porcelain']), '');
  });

  test('a linked worktree and a folder inside the tree', async () => {
    await using b = await bench({ 'in/a.txt': 'a' });
    const linked = join(b.home, '..', 'linked');
    await b.git('worktree', 'add', '--quiet', linked, '-b', 'side');
    const ws = await b.make({ path: join(linked, 'in') });
    assert.deepEqual(short(ws.record.notes), { 'linked-worktree': 1 });
    assert.deepEqual([ws.cwd, await read(ws.cwd)], [join(ws.work, 'in'), { 'a.txt': 'a' }]);
    assert.equal((await userGit(ws.work, b.home, ['branch', '--show-current'])).trim(), 'side');
  });

  test('a shallow clone keeps the history that it has', async () => {
    await using b = await bench({ 'a.txt': 'a' });
    await b.git('commit', '--quiet', '--allow-empty', '--message=second');
    const shallow = join(b.home, '..', 'shallow');
    await b.git('clone', '--quiet', '--depth=1', `file://${b.project}`, shallow);
    const ws = await b.make({ path: shallow });
    assert.deepEqual(short(ws.record.notes), { shallow: 1 });
    assert.equal(await userGit(ws.work, b.home, ['log', '--format=%s']), 'second\n');
  });

  test('a repository with SHA-256 hashes', async () => {
    await using b = await bench({ 'a.txt': 'a' }, { plain: true });
    await b.git('init', '--quiet', '--object-format=sha256');
    await b.git('add', '--all');
    await b.git('commit', '--quiet', '--message=first');
    const ws = await b.make();
    assert.deepEqual(short(ws.record.notes), { 'other-hash': 1, 'no-history': 1 });
    assert.deepEqual(await read(ws.work), { 'a.txt': 'a' });
  });
});

describe('what is refused', () => {
  const limits = { ...TREE_LIMITS, fileBytesMax: 1000, filesMax: 3, bytesMax: 1500 };
  const cases: [
    why: string,
    code: string,
    prepare: (b: Bench) => Promise<Partial<Parameters<Bench['make']>[0]>>,
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
    ['a whole home', 'workspace.unsupported', async (b) => ({ userHome: join(b.project, '.') })],
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
      await using b = await bench({ 'a.txt': 'a' });
      await assert.rejects(b.make(await prepare(b)), refusedAs(code));
    });
  }

  test('a workspace that somebody has', async () => {
    await using b = await bench({ 'a.txt': 'a' });
    const ws = await b.make();
    await assert.rejects(b.make(), refusedAs('workspace.busy'));
    await ws.release();
    await (await b.make()).release();
  });
});

describe('a further attempt', () => {
  test('goes on with the partial work of another, or begins afresh', async () => {
    await using b = await bench({ 'a.txt': 'one\n', 'b.txt': 'b' });
    const first = await b.make();
    await write(first.work, { 'a.txt': 'half done\n', 'new.sh': { x: 'new' } });
    await rm(join(first.work, 'b.txt'));
    await keepWorkspace(first.place, b.ports);
    await write(b.project, { 'a.txt': 'the user goes on\n' });

    const second = await b.make({ attempt: 2, continues: 1 });
    assert.deepEqual(await read(second.work), { 'a.txt': 'half done\n', 'new.sh': { x: 'new' } });
    assert.deepEqual([second.record.base, second.record.continues], [first.record.base, 1]);
    const kept = await keepWorkspace(second.place, b.ports);
    assert.deepEqual(
      kept.changes.map(({ path, kind }) => `${kind} ${path}`),
      ['modified a.txt', 'deleted b.txt', 'added new.sh'],
    );

    const third = await b.make({ attempt: 3 });
    assert.deepEqual(await read(third.work), { 'a.txt': 'the user goes on\n', 'b.txt': 'b' });
    await assert.rejects(b.make({ attempt: 4, continues: 3 }), refusedAs('workspace.not-found'));
  });

  test('that died finds its tree as it left it', async () => {
    await using b = await bench({ 'a.txt': 'one\n' });
    const ws = await b.make();
    await write(ws.work, { 'a.txt': 'work\n' });
    await ws.release();
    const again = await b.make();
    assert.deepEqual(await read(again.work), { 'a.txt': 'work\n' });
  });

  test('whose tree was not finished gets a new one', async () => {
    await using b = await bench({ 'a.txt': 'one\n' });
    const ws = await b.make();
    await ws.release();
    await rm(join(ws.work, '..', 'record.json'));
    await write(ws.work, { half: 'made' });
    assert.deepEqual(await read((await b.make()).work), { 'a.txt': 'one\n' });
  });
});

test('rules of the user for all their projects leave files out', async () => {
  await using b = await bench({ 'a.txt': 'a' });
  const excludesFile = join(b.home, 'ignore');
  await writeFile(excludesFile, 'secret.env\n');
  await write(b.project, { 'secret.env': 'KEY=1' });
  const ws = await makeWorkspace(
    { path: b.project, home: b.home, run: RUN, attempt: 1, excludesFile },
    b.ports,
  );
  assert.deepEqual(await read(ws.work), { 'a.txt': 'a' });
  assert.equal(
    await readFile(join(ws.work, '.git/info/exclude'), 'utf8').then((text) =>
      text.includes('secret.env'),
    ),
    true,
  );
  await write(ws.work, { 'secret.env': 'KEY=2' });
  assert.deepEqual((await keepWorkspace(ws.place, b.ports)).changes, []);
});
