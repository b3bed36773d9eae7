import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../src/base/errors.ts';
import { readPath } from '../../src/host/files/tree/read-tree.ts';
import { executeApply, planApply } from '../../src/workspace/apply/apply.ts';
import { compareWorkspace, diffText } from '../../src/workspace/compare.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import { openShadowRepo, readBlobs } from '../../src/workspace/shadow-repo.ts';
import { workspacePaths } from '../../src/workspace/workspace.ts';
import { workspaceHarness, read, userGit, write } from './workspace-harness.ts';
import { plan, refusedAs } from './apply-fixture.ts';

const SECRET = 'the canary sings';

describe('files of an agent', () => {
  test('case 1: a symlink out of the tree is saved as a symlink, never followed, never applied', async () => {
    await using b = await workspaceHarness({ 'dir/a.txt': 'a', 'b.txt': 'b' });
    const outside = join(b.home, 'outside');
    await write(outside, { 'a.txt': SECRET });
    const ws = await b.make();
    await write(ws.work, { dir: { to: outside }, l: { to: join(outside, 'a.txt') } });
    const saved = await commitWorkspace(ws.id, b.ports);
    assert.deepEqual(
      saved.changes.map(({ path, kind }) => `${kind} ${path}`),
      ['symlink dir', 'deleted dir/a.txt', 'symlink l'],
    );
    const vault = await openShadowRepo(workspacePaths(ws.id).project, b.ports);
    assert.ok(!(await diffText(vault, saved)).text.includes(SECRET));
    for (const symlinks of ['refused', 'inside'] as const) {
      const planning = planApply(ws.id, b.ports, { commit: saved.commit, symlinks });
      await assert.rejects(planning, refusedAs('workspace.unsafe-change', /points out/));
    }
    // If the user's own tree has the symlink, nothing is written through it.
    await write(ws.work, { l: 'x' });
    await rm(join(ws.work, 'dir'));
    await write(ws.work, { 'dir/a.txt': 'changed', l: 'x' });
    await write(b.project, { dir: { to: outside } });
    await assert.rejects(plan(b, ws), refusedAs('workspace.conflict', /dir\/a\.txt/));
    assert.deepEqual(await read(outside), { 'a.txt': SECRET });
  });

  test('case 2: a file swapped for a symlink while it is read never shows files outside', async () => {
    await using b = await workspaceHarness({ 'dir/a': 'inside' });
    const outside = join(b.home, 'outside');
    await write(outside, { a: SECRET, 'dir/a': SECRET });
    const ws = await b.make();
    const flip = `
      const { renameSync, rmSync, symlinkSync, writeFileSync, mkdirSync } = require('node:fs');
      process.chdir(process.argv[1]);
      process.stdout.write('.');
      for (;;) {
        try {
          for (let swaps = 0; swaps < 50; swaps += 1) {
            symlinkSync(process.argv[2] + '/a', process.argv[2] + '/l');
            renameSync(process.argv[2] + '/l', 'dir/a');
            writeFileSync(process.argv[2] + '/f', 'inside');
            renameSync(process.argv[2] + '/f', 'dir/a');
          }
          renameSync('dir', 'was'); symlinkSync(process.argv[2] + '/dir', 'dir');
          rmSync('dir'); renameSync('was', 'dir');
        } catch { rmSync(process.argv[2] + '/l', { force: true }); mkdirSync('dir', { recursive: true }); }
      }`;
    const flipper = spawn(process.execPath, ['-e', flip, ws.work, outside], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(flipper.stdout, 'data');
      const vault = await openShadowRepo(workspacePaths(ws.id).project, b.ports);
      let looks = 0;
      for (let tries = 0; looks < 20 && tries < 200; tries += 1) {
        // Git may refuse to list ignored files below a folder that has just become a symlink.
        const found = await compareWorkspace(ws.id, b.ports).catch((error: unknown) => {
          if (!isRefusal(error, 'workspace.git-failed')) throw error; // anything else is a defect
        });
        if (found === undefined) continue;
        looks += 1;
        await readBlobs(vault, [...found.after.values()], async (_, content) => {
          assert.ok(!content.includes(SECRET), 'the canary was heard');
          await Promise.resolve();
        });
      }
      assert.equal(looks, 20);
      for (let reads = 0; reads < 20_000; reads += 1) {
        const state = await readPath(ws.work, 'dir/a', 100);
        const received = state.kind === 'file' && state.content.includes(SECRET);
        assert.ok(!received, 'the canary was heard');
      }
    } finally {
      flipper.kill('SIGKILL');
      await once(flipper, 'exit');
    }
  });

  test("case 3: an agent's change to a hard link stays in its own tree", async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a\n' });
    const ws = await b.make();
    // A sandbox does not allow this link; without one, the agent made it, not Supervisor.
    await rm(join(ws.work, 'a.txt'));
    await link(join(b.project, 'a.txt'), join(ws.work, 'b.txt'));
    await executeApply(await plan(b, ws), b.ports);
    await writeFile(join(ws.work, 'b.txt'), 'written later');
    assert.deepEqual(await read(b.project), { 'b.txt': 'a\n' });
  });

  test('case 7: a repository inside hides nothing, and blocks the apply', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    const ws = await b.make();
    await write(ws.work, { 'sub/deep/f': 'hidden?' });
    await userGit(join(ws.work, 'sub'), b.home, ['init', '--quiet']);
    await userGit(ws.work, b.home, ['add', 'sub']).catch(() => {}); // git makes a gitlink of it
    const saved = await commitWorkspace(ws.id, b.ports);
    assert.deepEqual(
      [saved.changes.map(({ path }) => path), saved.oddities],
      [['sub/deep/f'], [{ kind: 'nested-repository', path: 'sub' }]],
    );
    const planning = planApply(ws.id, b.ports, { commit: saved.commit });
    await assert.rejects(planning, refusedAs('workspace.unsafe-change', /repository inside/));
  });

  test('case 7: changes inside a submodule of the user are not applied', async () => {
    await using other = await workspaceHarness({ 'lib.txt': 'lib' });
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    await b.git('submodule', '--quiet', 'add', other.project, 'lib');
    const ws = await b.make();
    await write(ws.work, { 'lib/lib.txt': 'changed' });
    await assert.rejects(plan(b, ws), refusedAs('workspace.unsafe-change', /repository lib/));
  });

  test('case 8: LFS pointers stay pointers, and no filter is searched for', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n';
    await using b = await workspaceHarness({
      '.gitattributes': '*.bin filter=lfs diff=lfs\n',
      'x.bin': pointer,
    });
    const ws = await b.make();
    assert.equal((await read(ws.work))['x.bin'], pointer);
    await write(ws.work, { 'x.bin': `${pointer}more\n` });
    await executeApply(await plan(b, ws), b.ports);
    assert.equal((await read(b.project))['x.bin'], `${pointer}more\n`);
  });

  test("case 9: the agent's changes to protected paths are recorded, and the old content is stored", async () => {
    await using b = await workspaceHarness({
      'package.json': '{"scripts":{"test":"node --test"}}',
      'src/a': 'a',
    });
    const ws = await b.make();
    await write(ws.work, { 'package.json': '{"scripts":{"test":"true"}}', 'src/a': 'b' });
    const { outside, before } = await compareWorkspace(ws.id, b.ports, {
      allowed: ['src/'],
    });
    assert.deepEqual(
      outside.map(({ path }) => path),
      ['package.json'],
    );
    const vault = await openShadowRepo(workspacePaths(ws.id).project, b.ports);
    await readBlobs(vault, [before.get('package.json') ?? assert.fail()], async (_, content) => {
      assert.match(content.toString(), /node --test/);
      await Promise.resolve();
    });
  });

  test('case 10: names that mean .git on some system are neither saved nor applied, and are named', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    const ws = await b.make();
    const names = [
      '.GIT',
      '.Git',
      'git~1',
      '.git ',
      '.git.',
      '.git::$INDEX_ALLOCATION',
      '.g\u200cit',
      'GIT~2',
    ];
    for (const name of names) await write(ws.work, { [`deep/${name}/config`]: 'x' });
    await write(ws.work, { 'A.TXT': 'A', 'ok.git': 'fine', gitty: 'fine', '.github/x': 'fine' });
    const saved = await commitWorkspace(ws.id, b.ports);
    assert.deepEqual(
      saved.oddities.map(({ kind, path }) => `${kind} ${path}`).toSorted(),
      names.map((name) => `forbidden-name deep/${name}`).toSorted(),
    );
    assert.deepEqual(
      saved.changes.map(({ path }) => path),
      ['.github/x', 'A.TXT', 'gitty', 'ok.git'],
    );
    const planning = planApply(ws.id, b.ports, { commit: saved.commit });
    await assert.rejects(planning, refusedAs('workspace.unsafe-change', /and \d+ more/));
  });

  test('case 11: pipes, sockets and huge files are noticed and never opened', async () => {
    await using b = await workspaceHarness({ 'README.md': 'read me', 'b.txt': 'b' });
    const ws = await b.make();
    await rm(join(ws.work, 'README.md'));
    execFileSync('mkfifo', [join(ws.work, 'README.md'), join(ws.work, 'sub-fifo')]);
    const server = createServer().listen(join(ws.work, 'sock'));
    await once(server, 'listening');
    await using sparse = await open(join(ws.work, 'huge'), 'w');
    await sparse.truncate(2 ** 40);
    await chmod(join(ws.work, 'b.txt'), 0o755);
    const { changes, oddities } = await compareWorkspace(ws.id, b.ports);
    server.close();
    assert.deepEqual(
      changes.map(({ path, kind }) => `${kind} ${path}`),
      ['deleted README.md', 'mode b.txt'],
    );
    assert.deepEqual(oddities.map(({ path, kind }) => `${kind} ${path}`).toSorted(), [
      'special-file README.md',
      'special-file sock',
      'special-file sub-fifo',
      'too-large huge',
    ]);
  });

  test('case 11: ignore rules that are a pipe or have no end are not read', async () => {
    for (const plant of [
      (path: string) => Promise.resolve(execFileSync('mkfifo', [path])),
      async (path: string) => {
        await using file = await open(path, 'w');
        await file.truncate(2 ** 40);
      },
    ]) {
      await using b = await workspaceHarness({ 'a.txt': 'a' });
      const ws = await b.make();
      await mkdir(join(ws.work, 'dir'));
      await write(ws.work, { 'dir/new': 'x' });
      await plant(join(ws.work, 'dir/.gitignore'));
      await plant(join(ws.work, '.gitattributes'));
      const { changes } = await compareWorkspace(ws.id, b.ports);
      assert.deepEqual(
        changes.map(({ path }) => path),
        ['dir/new'],
      );
      await assert.rejects(plan(b, ws), refusedAs('workspace.unsafe-change'));
    }
  });

  test('case 12: the lock and the unfinished tree of a killed owner are taken over', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    const ws = await b.make();
    await assert.rejects(
      b.make(),
      refusedAs('workspace.busy', new RegExp(`in use by process ${process.pid}`)),
    );
    ws.release(); // as the kernel does when its holder is killed
    const { lock, record, work } = workspacePaths(ws.id);
    await rm(record);
    await write(work, { '.git/index.lock': '', half: 'made' });
    const dead = { pid: process.pid, startTime: 1, since: 0, purpose: 'something else' };
    await writeFile(`${lock}.holder`, JSON.stringify(dead));
    assert.deepEqual(await read((await b.make()).work), { 'a.txt': 'a' });
  });

  test('case 38: a git in the tree is not the git that runs', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a' });
    const ws = await b.make();
    const mark = join(b.home, 'fired');
    const program = { x: `#!/bin/sh\ntouch ${mark}\n` };
    await write(ws.work, {
      git: program,
      'node_modules/.bin/git': program,
      'git-check-ignore': program,
    });
    await commitWorkspace(ws.id, b.ports);
    await assert.rejects(readFile(mark));
  });
});
