import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../src/base/errors.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { writeFileAtomic } from '../../src/host/files.ts';
import { carryOutBranch, planBranch } from '../../src/workspace/apply-to-branch.ts';
import type { ApplyPlan, ApplyRequest } from '../../src/workspace/apply.ts';
import { carryOutApply, planApply } from '../../src/workspace/apply.ts';
import type { Hands } from '../../src/workspace/carry-out.ts';
import { realHands } from '../../src/workspace/hands.ts';
import { keepWorkspace } from '../../src/workspace/keep.ts';
import type { Workspace } from '../../src/workspace/make.ts';
import { openVault, readRef, readTree } from '../../src/workspace/vault.ts';
import { appliedRef, beforeRef, pathsOf } from '../../src/workspace/workspace.ts';
import type { Bench, Files } from './bench.ts';
import { bench, read, write } from './bench.ts';

const refusedAs =
  (code: string, words = /./) =>
  (error: unknown) =>
    isRefusal(error) && error.data.code === code && words.test(error.message);

/** A null is a deletion. */
async function edit(
  root: string,
  files: Readonly<Record<string, Files[string] | null>>,
): Promise<void> {
  for (const [path, file] of Object.entries(files)) {
    if (file === null) await rm(join(root, path), { recursive: true });
    else await write(root, { [path]: file });
  }
}

async function plan(b: Bench, ws: Workspace, more: Partial<ApplyRequest> = {}): Promise<ApplyPlan> {
  const { commit } = await keepWorkspace(ws.place, b.ports);
  return planApply(ws.place, b.ports, { commit, ...more });
}

const FILES: Files = {
  'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
  'b.txt': 'b\n',
  'run.sh': { x: 'run' },
  'dir/x': 'x',
  'dir/y': 'y',
  file: 'a file',
  link: { to: 'a.txt' },
};

const EDITS = {
  'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\nNINE\n',
  'b.txt': null,
  'run.sh': 'run',
  'deep/er/new.sh': { x: 'new' },
  dir: 'a file now',
  file: null,
  'file/inside': 'a folder now',
};

const AFTER: Files = {
  'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\nNINE\n',
  'deep/er/new.sh': { x: 'new' },
  dir: 'a file now',
  'file/inside': 'a folder now',
  link: { to: 'a.txt' },
  'run.sh': 'run',
};

describe('an apply to the files', () => {
  test('makes exactly the changes, and the index of the user stays', async () => {
    await using b = await bench(FILES);
    await write(b.project, { 'mine.txt': 'untracked', 'a.txt': FILES['a.txt'] ?? '' });
    await chmod(join(b.project, 'a.txt'), 0o660);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const index = await b.git('ls-files', '--stage');
    const planned = await plan(b, ws);
    assert.deepEqual(await read(b.project), { ...FILES, 'mine.txt': 'untracked' });
    assert.deepEqual([planned.merged, planned.userChanges.count], [[], 0]);
    assert.deepEqual(JSON.parse(JSON.stringify(planned)), planned);
    assert.deepEqual(await carryOutApply(planned, b.ports), { kind: 'applied' });
    assert.deepEqual(await read(b.project), { ...AFTER, 'mine.txt': 'untracked' });
    assert.equal(await b.git('ls-files', '--stage'), index);
    assert.equal((await stat(join(b.project, 'a.txt'))).mode & 0o777, 0o660);
    const vault = await openVault(pathsOf(ws.place).project, b.ports);
    const before = await readTree(vault, (await readRef(vault, beforeRef(ws.place))) ?? '');
    assert.deepEqual([...before.keys()], [...Object.keys(FILES), 'mine.txt'].toSorted());
  });

  test('merges what the user changed elsewhere in the same file, and says so', async () => {
    await using b = await bench(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    await write(b.project, {
      'a.txt': { x: 'ONE\n2\n3\n4\n5\n6\n7\n8\n9\n' },
      'other.txt': 'mine',
    });
    const planned = await plan(b, ws);
    assert.deepEqual(planned.merged, ['a.txt']);
    assert.deepEqual(planned.userChanges, { count: 2, names: ['a.txt', 'other.txt'] });
    await carryOutApply(planned, b.ports);
    assert.deepEqual(await read(b.project), {
      ...AFTER,
      'a.txt': { x: 'ONE\n2\n3\n4\n5\n6\n7\n8\nNINE\n' },
      'other.txt': 'mine',
    });
  });

  test('does nothing about what the user has done as well', async () => {
    await using b = await bench(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    await edit(b.project, EDITS);
    const planned = await plan(b, ws);
    assert.deepEqual(planned.edits, []);
    assert.deepEqual(await carryOutApply(planned, b.ports), { kind: 'applied' });
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
      await using b = await bench(FILES);
      const ws = await b.make();
      await edit(ws.work, EDITS);
      await edit(b.project, user);
      const before = await read(b.project);
      await assert.rejects(plan(b, ws), refusedAs('workspace.conflict', words));
      assert.deepEqual(await read(b.project), before);
    });
  }

  const unsafe: [why: string, work: Files, more: Partial<ApplyRequest>, words: RegExp][] = [
    ['a symlink', { l: { to: 'a.txt' } }, {}, /"l" is a symlink\./],
    ['a symlink that leads out', { l: { to: '../../etc' } }, { symlinks: 'inside' }, /leads out/],
    ['an absolute symlink', { l: { to: '/etc' } }, { symlinks: 'inside' }, /leads out/],
    ['a symlink into git', { l: { to: '.git/hooks' } }, { symlinks: 'inside' }, /into git/],
    ['.GIT', { '.GIT/hooks/pre-commit': 'x' }, {}, /\.GIT.*name of git/],
    ['git~1', { 'git~1/config': 'x' }, {}, /git~1/],
    ['.git with an ignorable letter', { '.g\u200cit/config': 'x' }, {}, /name of git/],
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
      await using b = await bench(FILES);
      const ws = await b.make();
      await write(ws.work, work);
      await assert.rejects(plan(b, ws, more), refusedAs('workspace.unsafe-change', words));
      assert.deepEqual(await read(b.project), FILES);
    });
  }

  test('takes a symlink that stays inside where that is wished, and never writes through one', async () => {
    await using b = await bench(FILES);
    const ws = await b.make();
    await edit(ws.work, { 'dir/to-a': { to: '../a.txt' }, link: 'a file now' });
    await carryOutApply(await plan(b, ws, { symlinks: 'inside' }), b.ports);
    const now = await read(b.project);
    assert.deepEqual(
      [now['dir/to-a'], now['link'], now['a.txt']],
      [{ to: '../a.txt' }, 'a file now', FILES['a.txt']],
    );
  });

  test('applies only what the gates have seen', async () => {
    await using b = await bench(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const { commit } = await keepWorkspace(ws.place, b.ports);
    await write(ws.work, { late: 'after the gates' });
    await keepWorkspace(ws.place, b.ports);
    await assert.rejects(
      planApply(ws.place, b.ports, { commit }),
      refusedAs('workspace.not-found'),
    );
  });
});

class Crash extends Error {}

/** As if nothing had ever been applied. */
async function reset(b: Bench, ws: Workspace): Promise<void> {
  for (const name of await readdir(b.project))
    if (name !== '.git') await rm(join(b.project, name), { recursive: true });
  await write(b.project, FILES);
  const { gitDir } = await openVault(pathsOf(ws.place).project, b.ports);
  await rm(join(gitDir, appliedRef(ws.place)), { force: true });
}

/** Dies before or after the k-th thing done to the machine. */
function mortal(
  hands: Hands,
  k: number,
  when: 'before' | 'after',
  calls: { count: number },
): Hands {
  return new Proxy(hands, {
    get:
      (target, name: keyof Hands) =>
      async (...args: never[]) => {
        calls.count += 1;
        if (calls.count === k && when === 'before') throw new Crash();
        if (calls.count > k) throw new Crash(); // the dead do nothing, not even tidy up
        const answer: unknown = await Reflect.apply(target[name], target, args);
        if (calls.count === k) throw new Crash();
        return answer;
      },
  });
}

describe('an apply that is cut off', () => {
  for (const when of ['before', 'after'] as const) {
    test(`is the same in the end, ${when} each thing it does`, async () => {
      await using b = await bench(FILES);
      const ws = await b.make();
      await edit(ws.work, EDITS);
      const planned = await plan(b, ws);
      for (let k = 1; ; k += 1) {
        const calls = { count: 0 };
        const dying = carryOutApply(planned, b.ports, (vault) =>
          mortal(realHands(vault, ws.place, planned.before), k, when, calls),
        );
        const died = await dying.then(
          () => false,
          (error: unknown) => error instanceof Crash,
        );
        if (!died) break;
        assert.deepEqual(await carryOutApply(planned, b.ports), { kind: 'applied' }, `k = ${k}`);
        assert.deepEqual(await read(b.project), AFTER, `k = ${k}`);
        await reset(b, ws);
        assert.ok(k < 200);
      }
    });
  }

  test('never loses what the user writes before it goes on', async () => {
    await using b = await bench(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const planned = await plan(b, ws);
    const outcomes = new Set<string>();
    for (let [k, died] = [2, true]; died; k += 4) {
      const calls = { count: 0 };
      died = await carryOutApply(planned, b.ports, (vault) =>
        mortal(realHands(vault, ws.place, planned.before), k, 'after', calls),
      ).then(
        () => false,
        (error: unknown) => error instanceof Crash,
      );
      await write(b.project, { 'a.txt': 'precious\n' });
      const { kind } = await carryOutApply(planned, b.ports);
      outcomes.add(kind);
      const { 'a.txt': a, ...rest } = await read(b.project);
      const { 'a.txt': _, ...whole } = kind === 'applied' ? AFTER : FILES;
      assert.equal(a, 'precious\n', `k = ${k}`);
      assert.deepEqual(rest, whole, `k = ${k}`);
      await reset(b, ws);
    }
    assert.deepEqual([...outcomes].toSorted(), ['applied', 'changed-meanwhile']);
  });

  test('puts everything back when a file was edited in the last moment, or the disk fails', async () => {
    await using b = await bench(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const planned = await plan(b, ws);
    const last = planned.edits.length - 1;
    const outcome = await carryOutApply(planned, b.ports, (vault) => {
      const hands = realHands(vault, ws.place, planned.before);
      return {
        ...hands,
        place: async (number, path) => {
          if (number === last) await write(b.project, { [path]: 'precious' });
          return hands.place(number, path);
        },
      };
    });
    const { path } = planned.edits[last] ?? assert.fail();
    assert.deepEqual(outcome, { kind: 'changed-meanwhile', paths: [path], leftAside: [] });
    assert.deepEqual(await read(b.project), { ...FILES, [path]: 'precious' });
    await write(b.project, FILES);

    const fresh = await plan(b, ws);
    const failing = carryOutApply(fresh, b.ports, (vault) => {
      const hands = realHands(vault, ws.place, fresh.before);
      return {
        ...hands,
        place: (number, place) =>
          number === last ? Promise.reject(new Error('ENOSPC')) : hands.place(number, place),
      };
    });
    await assert.rejects(failing, /ENOSPC/);
    assert.deepEqual(await read(b.project), FILES);
  });
});

describe('the lock of a project', () => {
  test('keeps a second apply out, and is taken over from the dead after five minutes', async () => {
    const clock = new ManualClock(1_000_000);
    await using b = await bench(FILES, { clock });
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const planned = await plan(b, ws);
    const lock = join(pathsOf(ws.place).project, 'apply.lock');
    const dead = { pid: process.pid, startTime: 1, since: clock.now(), purpose: 'apply another/1' };
    await writeFileAtomic(lock, JSON.stringify(dead));
    await assert.rejects(
      carryOutApply(planned, b.ports),
      refusedAs('workspace.busy', /when it died/),
    );
    await clock.advance(299_999);
    await assert.rejects(carryOutApply(planned, b.ports), refusedAs('workspace.busy'));
    assert.deepEqual(await read(b.project), FILES);
    await clock.advance(1);
    assert.deepEqual(await carryOutApply(planned, b.ports), { kind: 'applied' });
    await assert.rejects(lstat(lock));
  });

  test('is left to one that lives, however old it is', async () => {
    const clock = new ManualClock(1_000_000);
    await using b = await bench(FILES, { clock });
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const planned = await plan(b, ws);
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const slow = carryOutApply(planned, b.ports, (vault) => {
      const hands = realHands(vault, ws.place, planned.before);
      const keepBefore = async (): Promise<void> => {
        begin();
        await promise;
        await hands.keepBefore();
      };
      return { ...hands, keepBefore };
    });
    await begun;
    await clock.advance(3_600_000);
    await assert.rejects(carryOutApply(planned, b.ports), refusedAs('workspace.busy'));
    resolve();
    assert.deepEqual(await slow, { kind: 'applied' });
  });
});

describe('an apply to a branch', () => {
  test('makes one commit on what is committed, and touches no file and no index', async () => {
    await using b = await bench(FILES);
    await write(b.project, { 'link.txt': 'uncommitted', 'b.txt': 'b\n' });
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const { commit } = await keepWorkspace(ws.place, b.ports);
    const before = [await read(b.project), await b.git('status', '--porcelain')];
    const planned = await planBranch(ws.place, b.ports, {
      commit,
      branch: 'agent/work',
      message: 'Do it',
      identity: { name: 'Ann', email: 'ann@example.test' },
    });
    const made = await carryOutBranch(planned, b.ports);
    assert.equal(await carryOutBranch(planned, b.ports), made);
    assert.deepEqual([await read(b.project), await b.git('status', '--porcelain')], before);
    assert.equal(await b.git('log', '--format=%an %s', 'agent/work'), 'Ann Do it\nUser first\n');
    await b.git('fsck', '--strict');
    const other = join(b.home, '..', 'other');
    await mkdir(other);
    await b.git('worktree', 'add', '--quiet', other, 'agent/work');
    assert.deepEqual(await read(other), AFTER);
    await assert.rejects(
      planBranch(ws.place, b.ports, { commit, branch: 'agent/work' }),
      refusedAs('workspace.branch-exists'),
    );
    await assert.rejects(
      planBranch(ws.place, b.ports, { commit, branch: '../x' }),
      refusedAs('usage.invalid'),
    );
  });

  test('merges with what was committed meanwhile, and refuses what depends on uncommitted work', async () => {
    await using b = await bench(FILES);
    await write(b.project, { 'b.txt': 'not committed\n' });
    const ws = await b.make();
    await write(ws.work, { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\nNINE\n' });
    await write(b.project, { 'a.txt': 'ONE\n2\n3\n4\n5\n6\n7\n8\n9\n' });
    await b.git('commit', '--quiet', '--message=one', 'a.txt');
    const first = await keepWorkspace(ws.place, b.ports);
    const planned = await planBranch(ws.place, b.ports, { commit: first.commit, branch: 'w' });
    await carryOutBranch(planned, b.ports);
    assert.equal(await b.git('show', 'w:a.txt'), 'ONE\n2\n3\n4\n5\n6\n7\n8\nNINE\n');
    await write(ws.work, { 'b.txt': 'not committed, and edited\n' });
    const { commit } = await keepWorkspace(ws.place, b.ports);
    await assert.rejects(
      planBranch(ws.place, b.ports, { commit, branch: 'v' }),
      refusedAs('workspace.conflict', /b\.txt/),
    );
  });

  test('refuses files that attributes convert', async () => {
    await using b = await bench({
      '.gitattributes': '*.bin filter=lfs\n*.crlf text\n',
      'a.txt': 'a',
    });
    const ws = await b.make();
    await write(ws.work, { 'x.bin': 'large', 'y.crlf': 'a\r\n', 'z.crlf': 'a\n' });
    const { commit } = await keepWorkspace(ws.place, b.ports);
    await assert.rejects(
      planBranch(ws.place, b.ports, { commit, branch: 'v' }),
      refusedAs('workspace.unsupported', /x\.bin, y\.crlf on/),
    );
  });
});

test('nothing of an apply is left in the tree, and a folder that is no repository is applied to as well', async () => {
  await using b = await bench(FILES, { plain: true });
  const ws = await b.make();
  await edit(ws.work, EDITS);
  await carryOutApply(await plan(b, ws), b.ports);
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
