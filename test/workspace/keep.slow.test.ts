import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../src/base/errors.ts';
import { chownTree } from '../../src/host/files/tree/chown-tree.ts';
import { removeTree } from '../../src/host/files/tree/write-tree.ts';
import { ManualClock } from '../../src/testing/fakes/manual-clock.ts';
import { compareWorkspace, countLines, diffText } from '../../src/workspace/compare.ts';
import {
  discardWorkspace,
  findStale,
  commitWorkspace,
  readCommittedWork,
} from '../../src/workspace/commit-work.ts';
import { openShadowRepo, readRef, readTree } from '../../src/workspace/shadow-repo.ts';
import { workRef, workspacePaths } from '../../src/workspace/workspace.ts';
import { workspaceHarness, read, userGit, write } from './workspace-harness.ts';
import { refusedAs } from './apply-fixture.ts';

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

describe('the comparison', () => {
  test('each change has its kind, its hashes and its sizes', async () => {
    await using b = await workspaceHarness({
      a: '1\n',
      b: '2\n',
      'c.sh': '3\n',
      d: '4\n',
      e: { to: 'a' },
    });
    const ws = await b.make();
    await write(ws.work, {
      a: '1\nmore\n',
      'c.sh': { x: '3\n' },
      'n/new': 'n',
      e: { to: 'b' },
      bin: '\0\x01',
    });
    await rm(join(ws.work, 'd'));
    const comparison = await compareWorkspace(ws.id, b.ports);
    assert.deepEqual(
      comparison.changes.map(({ path, kind, before, after }) => [
        path,
        kind,
        before?.bytes,
        after?.bytes,
      ]),
      [
        ['a', 'modified', 2, 7],
        ['bin', 'added', undefined, 2],
        ['c.sh', 'mode', 2, 2],
        ['d', 'deleted', 2, undefined],
        ['e', 'symlink', 1, 1],
        ['n/new', 'added', undefined, 1],
      ],
    );
    const [a] = comparison.changes;
    assert.equal(a?.after?.id, (await b.git('hash-object', join(ws.work, 'a'))).trim());
    const vault = await openShadowRepo(workspacePaths(ws.id).project, b.ports);
    assert.deepEqual(await countLines(vault, comparison.base, comparison.result), [
      { kind: 'text', path: 'a', added: 1, removed: 0 },
      { kind: 'binary', path: 'bin' },
      { kind: 'text', path: 'c.sh', added: 0, removed: 0 },
      { kind: 'text', path: 'd', added: 0, removed: 1 },
      { kind: 'text', path: 'e', added: 1, removed: 1 },
      { kind: 'text', path: 'n/new', added: 1, removed: 0 },
    ]);
  });

  test('a diff shows whole files up to its bound, and names the others', async () => {
    await using b = await workspaceHarness({ a: 'old\n', big: 'x\n' });
    const ws = await b.make();
    await write(ws.work, { a: 'new\n', big: 'y\n'.repeat(1000) });
    const comparison = await compareWorkspace(ws.id, b.ports);
    const vault = await openShadowRepo(workspacePaths(ws.id).project, b.ports);
    const { text, leftOut } = await diffText(vault, comparison, 100);
    assert.match(text, /^--- a\/a\n\+\+\+ b\/a\n@@ -1 \+1 @@\n-old\n\+new$/m);
    assert.deepEqual(leftOut, { count: 1, names: ['big'] });
    // Git itself takes the diff for one.
    await write(b.home, { 'd.patch': (await diffText(vault, comparison)).text });
    await b.git('apply', join(b.home, 'd.patch'));
    assert.deepEqual(await read(b.project), await read(ws.work));
  });

  test('ignore rules of the agent leave files out, and the notes say so', async () => {
    await using b = await workspaceHarness({ a: 'a', 'secret/b': 'b' });
    const ws = await b.make();
    await write(ws.work, {
      '.gitignore': 'hidden\nsecret\n',
      hidden: 'x',
      'secret/b': 'changed',
      'secret/c': 'new',
    });
    const { changes, ignored, rulesChanged } = await compareWorkspace(ws.id, b.ports);
    assert.deepEqual(
      [changes.map(({ path }) => path), ignored.names, rulesChanged],
      [['.gitignore', 'secret/b'], ['hidden', 'secret/c'], true],
    );
  });

  test('times, sizes and the index of the agent do not count', async () => {
    await using b = await workspaceHarness({ a: 'aaaa' });
    const ws = await b.make();
    const git = (...args: readonly string[]) => userGit(ws.work, b.home, args);
    const { atime, mtime } = await stat(join(ws.work, 'a'));
    await write(ws.work, { a: 'bbbb' });
    await import('node:fs/promises').then((fs) => fs.utimes(join(ws.work, 'a'), atime, mtime));
    await git('update-index', '--assume-unchanged', 'a');
    await git('commit', '--quiet', '--allow-empty', '-am', 'x');
    const { changes } = await compareWorkspace(ws.id, b.ports);
    assert.deepEqual(
      changes.map(({ path, kind }) => `${kind} ${path}`),
      ['modified a'],
    );
  });
});

describe('the saved work', () => {
  test('a second save of the same work changes nothing, and the first one stays reachable', async () => {
    await using b = await workspaceHarness({ a: 'a' });
    const ws = await b.make();
    await write(ws.work, { a: 'first' });
    const first = await commitWorkspace(ws.id, b.ports);
    assert.equal((await commitWorkspace(ws.id, b.ports)).commit, first.commit);
    await write(ws.work, { a: 'second' });
    const second = await commitWorkspace(ws.id, b.ports);
    const vault = await openShadowRepo(workspacePaths(ws.id).project, b.ports);
    assert.equal(await readRef(vault, workRef(ws.id)), second.commit);
    assert.equal(await readRef(vault, `${workRef(ws.id)}^2`), first.commit);
    assert.equal((await b.git('for-each-ref')).split('\n').length, 2); // the user's repository has nothing of Supervisor
  });

  test('a discarded tree is gone, and its work is on its ref', async () => {
    await using b = await workspaceHarness({ a: 'a' });
    const ws = await b.make();
    await write(ws.work, { 'new/x': 'work', 'closed/y': 'y' });
    await chmod(join(ws.work, 'new'), 0o500);
    await assert.rejects(discardWorkspace(ws.id, b.ports), refusedAs('workspace.busy'));
    ws.release();
    const done = { kind: 'gone', ref: 'refs/supervisor/0123456789/1' };
    assert.deepEqual(await discardWorkspace(ws.id, b.ports), done);
    assert.deepEqual(await discardWorkspace(ws.id, b.ports), { ...done, wasGone: true });
    assert.equal(await isThere(ws.work), false);
    const vault = await openShadowRepo(workspacePaths(ws.id).project, b.ports);
    assert.deepEqual([...(await readTree(vault, done.ref)).keys()], ['a', 'closed/y', 'new/x']);
    const saved = await readCommittedWork(ws.id, b.ports);
    assert.match((await diffText(vault, saved)).text, /^\+work$/m);
  });

  test('a tree with files that no ref can hold stays, unless the caller insists', async () => {
    await using b = await workspaceHarness({ a: 'a' });
    const ws = await b.make();
    await write(ws.work, { '.GIT/x': 'content' });
    ws.release();
    const { kind } = await discardWorkspace(ws.id, b.ports);
    assert.deepEqual([kind, await isThere(join(ws.work, '.GIT/x'))], ['stays', true]);
    await discardWorkspace(ws.id, b.ports, { discardUnstorable: true });
    assert.equal(await isThere(ws.work), false);
  });

  test('trees are stale when they are old and not in use', async () => {
    const clock = new ManualClock(1_000_000);
    await using b = await workspaceHarness({ a: 'a' }, { clock });
    const [first, second] = [await b.make(), await b.make({ attempt: 2 })];
    await clock.advance(86_400_000);
    const third = await b.make({ attempt: 3 });
    first.release();
    third.release();
    await mkdir(join(b.home, 'projects', 'junk', 'trees', 'x', 'y'), { recursive: true });
    const stale = await findStale(b.home, b.ports, 86_400_000);
    assert.deepEqual(stale, [{ workspace: first.id, atMs: 1_000_000 }]);
    second.release();
    for (const { workspace } of await findStale(b.home, b.ports, 0))
      await discardWorkspace(workspace, b.ports);
    assert.deepEqual(await findStale(b.home, b.ports, 0), []);
  });
});

/** Chains of folders that no path can name, made by a program that changes into them. */
function nest(root: string, levels: number, name: string): void {
  const script = `const fs = require('fs'); fs.mkdirSync('${name}0'); process.chdir('${name}0');
for (let i = 0; i < ${levels}; i++) { fs.mkdirSync('${name}'); process.chdir('${name}'); } fs.writeFileSync('deep', 'work')`;
  const { stderr } = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' });
  assert.equal(stderr, '');
}

describe('M5: very deeply nested work', () => {
  test('is named and stays in its tree, and the rest is saved', { timeout: 300_000 }, async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    const ws = await b.make();
    for (const name of ['x', 'y', 'z']) nest(ws.work, 1200, name);
    nest(ws.work, 30, 'n'.repeat(240));
    await write(ws.work, { 'a.txt': 'b' });
    const saved = await commitWorkspace(ws.id, b.ports);
    assert.deepEqual(
      saved.changes.map(({ path }) => path),
      ['a.txt'],
    );
    assert.deepEqual(
      saved.oddities.map(({ kind }) => kind),
      Array(4).fill('too-deep'),
    );
    ws.release();
    assert.equal((await discardWorkspace(ws.id, b.ports)).kind, 'stays');
    assert.equal(
      (await discardWorkspace(ws.id, b.ports, { discardUnstorable: true })).kind,
      'gone',
    );
    await removeTree(b.home);
  });

  test('L1: the attempt continues in a tree with such work and with names that are not text', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    const first = await b.make();
    nest(first.work, 30, 'n'.repeat(240));
    await writeFile(Buffer.concat([Buffer.from(`${first.work}/`), Buffer.from([0xff])]), 'x');
    await commitWorkspace(first.id, b.ports);
    first.release();
    const again = await b.make();
    await chownTree(again.work, { uid: 65_534, gid: 65_534 });
    const { oddities } = await commitWorkspace(again.id, b.ports);
    assert.deepEqual(oddities.map(({ kind }) => kind).toSorted(), ['name-is-not-text', 'too-deep']);
    again.release();
    await removeTree(b.home);
  });
});

test('M5: a signal cancels the save, and the work stays in its tree', async () => {
  await using b = await workspaceHarness({ 'a.txt': 'a' });
  const ws = await b.make();
  await write(ws.work, { 'b.txt': 'b' });
  const signal = AbortSignal.abort();
  await assert.rejects(commitWorkspace(ws.id, { ...b.ports, signal }), (error) =>
    isRefusal(error, 'workspace.interrupted'),
  );
  assert.deepEqual(await read(ws.work), { 'a.txt': 'a', 'b.txt': 'b' });
  const { changes } = await commitWorkspace(ws.id, b.ports);
  assert.deepEqual(
    changes.map(({ path }) => path),
    ['b.txt'],
  );
});
