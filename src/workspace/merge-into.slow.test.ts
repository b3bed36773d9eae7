import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunId } from '../base/ids.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { which } from '../host/process/which.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { commitWorkspace } from './commit-work.ts';
import { createWorkspace } from './create-workspace.ts';
import type { StoredWork } from './merge-into.ts';
import { mergeInto } from './merge-into.ts';
import { openShadowRepo, readBlob, readRef, readTree } from './shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts } from './workspace.ts';
import { writeOnto } from './write-onto.ts';
import { readRecord, workRef, workspacePaths } from './workspace.ts';

const BASE = 'one\ntwo\nthree\nfour\nfive\nsix\n';
const RUNS = { feature: 'f000000001', a: 'a000000001', b: 'b000000001' } as const;

type Files = Readonly<Record<string, string | null | { readonly link: string }>>;

class World implements AsyncDisposable {
  readonly dir: string;
  readonly project: string;
  readonly ports: WorkspacePorts;
  readonly #dispose: () => Promise<void>;

  constructor(dir: string, dispose: () => Promise<void>) {
    this.dir = dir;
    this.project = join(dir, 'project');
    this.#dispose = dispose;
    const git = which('git', process.env) ?? assert.fail('git is missing');
    this.ports = { git, clock: systemClock, tag: 'test', userHome: dir };
  }

  static async create(): Promise<World> {
    const dir = await tempDir();
    const world = new World(dir.path, async () => dir[Symbol.asyncDispose]());
    await world.write(world.project, { 'text.txt': BASE, 'old.txt': 'old\n', 'run.sh': 'true\n' });
    const git = (...args: readonly string[]): unknown =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        cwd: world.project,
      });
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '-m', 'first');
    return world;
  }

  async write(root: string, files: Files): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      const full = join(root, path);
      await mkdir(dirname(full), { recursive: true });
      await rm(full, { recursive: true, force: true });
      if (typeof content === 'string') await writeFile(full, content);
      else if (content !== null) await symlink(content.link, full);
    }
  }

  /** The work of a run that starts with `from`. */
  async work(run: string, from: StoredWork | undefined, files: Files): Promise<StoredWork> {
    const home = join(this.dir, 'home');
    const findEarlierWork = () => Promise.resolve(from);
    const request = { path: this.project, home, run: run as RunId, attempt: 1, findEarlierWork };
    const { id, work, release } = await createWorkspace(request, this.ports);
    await this.write(work, files);
    const { commit } = await commitWorkspace(id, this.ports);
    release();
    return { workspace: id, commit };
  }

  async read({ workspace }: StoredWork, commit: string): Promise<Record<string, string>> {
    const repo = await openShadowRepo(workspacePaths(workspace).project, this.ports);
    const files: Record<string, string> = {};
    for (const [path, entry] of await readTree(repo, commit))
      files[path] = (await readBlob(repo, entry)).toString('utf8');
    return files;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#dispose();
  }
}

async function merge(a: Files, b: Files) {
  const world = await World.create();
  const base = await world.work(RUNS.feature, undefined, {});
  const tip = await world.work(RUNS.a, base, a);
  const work = await world.work(RUNS.b, base, b);
  const own: WorkspaceId = { ...base.workspace, run: RUNS.feature as RunId };
  return {
    world,
    base,
    tip,
    work,
    own,
    merged: await mergeInto(own, world.ports, { base, work, tip }),
  };
}

describe('the work of two components', { timeout: 300_000 }, () => {
  const fits: readonly [
    why: string,
    a: Files,
    b: Files,
    expected: Readonly<Record<string, string>>,
  ][] = [
    [
      'of different files is combined',
      { 'a.txt': 'a\n' },
      { 'b.txt': 'b\n' },
      { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    ],
    [
      'in different places of a file is combined',
      { 'text.txt': BASE.replace('one', 'ONE') },
      { 'text.txt': BASE.replace('six', 'SIX') },
      { 'text.txt': 'ONE\ntwo\nthree\nfour\nfive\nSIX\n' },
    ],
    [
      'that is the same is combined',
      { 'a.txt': 'same\n' },
      { 'a.txt': 'same\n' },
      { 'a.txt': 'same\n' },
    ],
  ];
  for (const [why, a, b, expected] of fits)
    test(why, async () => {
      const { world, work, merged } = await merge(a, b);
      await using _ = world;
      assert.ok(merged.kind === 'merged');
      const files = await world.read(work, merged.commit);
      for (const [path, text] of Object.entries(expected)) assert.equal(files[path], text);
      assert.deepEqual(merged.names, Object.keys(b));
    });

  const conflicts: readonly [why: string, a: Files, b: Files, files: readonly string[]][] = [
    [
      'on the same line',
      { 'text.txt': BASE.replace('one', 'A') },
      { 'text.txt': BASE.replace('one', 'B') },
      ['text.txt'],
    ],
    ['in two new files of the same name', { 'n.txt': 'a\n' }, { 'n.txt': 'b\n' }, ['n.txt']],
    [
      'that deletes what the other changes',
      { 'old.txt': 'changed\n' },
      { 'old.txt': null },
      ['old.txt'],
    ],
    ['with a file where the other has a folder', { 'x/y.txt': 'a\n' }, { x: 'b\n' }, ['x']],
    [
      'with a link where the other has a file',
      { 'l.txt': 'a\n' },
      { 'l.txt': { link: 'old.txt' } },
      ['l.txt'],
    ],
  ];
  for (const [why, a, b, files] of conflicts)
    test(`is in conflict ${why}`, async () => {
      const { world, merged } = await merge(a, b);
      await using _ = world;
      assert.ok(merged.kind === 'conflict');
      assert.deepEqual(merged.files, files);
    });

  test('says what has landed in the files of a conflict', async () => {
    const { world, merged } = await merge(
      { 'text.txt': BASE.replace('one', 'A') },
      { 'text.txt': BASE.replace('one', 'B') },
    );
    await using _ = world;
    assert.ok(merged.kind === 'conflict');
    assert.match(merged.diff, /^-one\n\+A$/m);
  });

  test('is merged twice with the same result, and stays on its ref', async () => {
    const { world, base, tip, work, own, merged } = await merge(
      { 'a.txt': 'a\n' },
      { 'b.txt': 'b\n' },
    );
    await using _ = world;
    assert.ok(merged.kind === 'merged');
    assert.deepEqual(await mergeInto(own, world.ports, { base, work, tip }), merged);
    const repo = await openShadowRepo(workspacePaths(own).project, world.ports);
    assert.equal(await readRef(repo, workRef(own)), merged.commit);
    // The user's own checkout is as it was.
    const status = execFileSync('git', ['status', '--short'], {
      cwd: world.project,
      encoding: 'utf8',
    });
    assert.equal(status, '');
  });

  test('belongs to the base of what has landed, also in the workspace of another run', async () => {
    const { world, base, tip, work, own } = await merge({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' });
    await using _ = world;
    const other: WorkspaceId = { ...own, run: 'c000000001' as RunId };
    const merged = await mergeInto(other, world.ports, { base, work, tip });
    assert.equal(merged.kind, 'merged');
    const [record, first] = [await readRecord(other), await readRecord(own)];
    assert.deepEqual(
      [record?.base, record?.head, record?.run],
      [first?.base, first?.head, other.run],
    );
  });

  test('keeps the mode that one side has changed', async () => {
    const world = await World.create();
    await using _ = world;
    const base = await world.work(RUNS.feature, undefined, {});
    const tip = await world.work(RUNS.a, base, { 'a.txt': 'a\n' });
    const work = await world.work(RUNS.b, base, { 'run.sh': 'false\n' });
    await chmod(join(workspacePaths(work.workspace).work, 'run.sh'), 0o755);
    const { commit } = await commitWorkspace(work.workspace, world.ports);
    const merged = await mergeInto(base.workspace, world.ports, {
      base,
      tip,
      work: { ...work, commit },
    });
    assert.ok(merged.kind === 'merged');
    const repo = await openShadowRepo(workspacePaths(base.workspace).project, world.ports);
    assert.equal((await readTree(repo, merged.commit)).get('run.sh')?.mode, '100755');
  });
});

describe('texts that are written on top of what has landed', { timeout: 300_000 }, () => {
  test('become a commit on a ref of their own, and a repetition finds it again', async () => {
    await using world = await World.create();
    const tip = await world.work(RUNS.feature, undefined, {});
    const own: WorkspaceId = { ...tip.workspace, attempt: 2 };
    const files = [{ path: 'types/a.d.ts', text: 'type A = 1' }];
    const first = await writeOnto(own, world.ports, tip, files);
    assert.ok(first.kind === 'written');
    assert.deepEqual(first.names, ['types/a.d.ts']);
    const stored = await world.read(tip, first.commit);
    assert.deepEqual([stored['types/a.d.ts'], stored['text.txt']], ['type A = 1\n', BASE]);
    assert.deepEqual(await writeOnto(own, world.ports, tip, files), first);
    const merged = await mergeInto(tip.workspace, world.ports, {
      ...{ base: tip, tip, work: { workspace: own, commit: first.commit } },
    });
    assert.ok(merged.kind === 'merged');
    assert.deepEqual(merged.names, ['types/a.d.ts']);
  });

  test('are refused below a file', async () => {
    await using world = await World.create();
    const tip = await world.work(RUNS.feature, undefined, {});
    const own: WorkspaceId = { ...tip.workspace, attempt: 2 };
    const files = [{ path: 'text.txt/a.d.ts', text: 'type A = 1' }];
    assert.deepEqual(await writeOnto(own, world.ports, tip, files), {
      ...{ kind: 'in-the-way', paths: ['text.txt'] },
    });
  });
});
