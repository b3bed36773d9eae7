import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import { systemClock } from '../host/system-clock.ts';
import { which } from '../host/which.ts';
import type { NewEvent } from '../protocol/event.ts';
import type { RunView } from '../protocol/run-view.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { makeWorkspace } from '../workspace/make.ts';
import { openVault, readTree } from '../workspace/vault.ts';
import { keptRef, pathsOf } from '../workspace/workspace.ts';
import { Prune } from './prune.ts';

const [OLD, NEW, LIVE, UNKNOWN] = ['a1', 'b2', 'c3', 'd4'].map((id) =>
  id.padEnd(10, '0'),
) as unknown as readonly [RunId, RunId, RunId, RunId];
const ENDED: Readonly<Record<string, number | null>> = { [OLD]: 1000, [NEW]: 2000, [LIVE]: null };
const git = {
  git: which('git', process.env) ?? 'git',
  clock: systemClock,
  tag: `prune-test:${process.pid}`,
};

/** Four runs that each have a workspace with new work, a home and an output. */
async function disk() {
  const dir = await tempDir();
  const root = await realpath(dir.path);
  const [project, home] = [join(root, 'project'), join(root, 'home')];
  await mkdir(project);
  await writeFile(join(project, 'old.txt'), 'old');
  const trees = new Map<RunId, Awaited<ReturnType<typeof makeWorkspace>>>();
  for (const run of [OLD, NEW, LIVE, UNKNOWN]) {
    for (const path of [`homes/${run}/main/.claude/x`, `outputs/${run}/attempt-1.stdout`]) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), 'x'.repeat(5000));
    }
    const workspace = await makeWorkspace({ path: project, home, run, attempt: 1 }, git);
    await writeFile(join(workspace.work, 'new.txt'), run);
    await workspace.release();
    trees.set(run, workspace);
  }
  const said: NewEvent[] = [];
  const stop = new AbortController();
  const ports = {
    home,
    git,
    view: async (run: RunId) =>
      run in ENDED ? ({ task: 'work', endedAt: ENDED[run] } as RunView) : undefined,
    say: async (event: NewEvent) => void said.push(event),
    signal: stop.signal,
  };
  const left = (run: RunId): readonly boolean[] =>
    [join(trees.get(run)?.work ?? ''), join(home, 'homes', run), join(home, 'outputs', run)].map(
      (path) => existsSync(path),
    );
  const kept = async (run: RunId): Promise<readonly string[]> => {
    const { place } = trees.get(run) ?? assert.fail();
    const vault = await openVault(pathsOf(place).project, git);
    return [...(await readTree(vault, keptRef(place))).keys()];
  };
  const work = (run: RunId): string => trees.get(run)?.work ?? assert.fail();
  return {
    ...{ ports, said, stop, left, kept, work },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const ALL = [true, true, true];
const NONE = [false, false, false];

describe('making room', { timeout: 120_000 }, () => {
  test('says what there is and how large, of runs that ended before then, and removes nothing', async () => {
    await using at = await disk();
    const plan = await new Prune(at.ports).plan(2000);
    assert.deepEqual(
      plan.runs.map(({ run, leftovers }) => [run, leftovers.map(({ kind }) => kind)]),
      [[OLD, ['workspace', 'home', 'output']]],
    );
    assert.ok(plan.bytes >= 3 * 4096, String(plan.bytes));
    assert.deepEqual([at.left(OLD), at.said], [ALL, []]);
  });

  test('removes them once the work is on its ref, and no run that goes on, is newer, or is unknown', async () => {
    await using at = await disk();
    const { runs, stays } = await new Prune(at.ports).prune(1001);
    assert.deepEqual([runs, stays], [1, []]);
    assert.deepEqual([OLD, NEW, LIVE, UNKNOWN].map(at.left), [NONE, ALL, ALL, ALL]);
    assert.deepEqual(await at.kept(OLD), ['new.txt', 'old.txt']);
    assert.deepEqual(
      at.said.map(({ type }) => type),
      ['prune.begun', 'prune.ended'],
    );
    assert.deepEqual(await new Prune(at.ports).prune(1001), { runs: 0, bytes: 0, stays: [] });
  });

  test('a workspace with files that no ref can hold stays, and is named', async () => {
    await using at = await disk();
    await mkdir(join(at.work(OLD), '.GIT'));
    await writeFile(join(at.work(OLD), '.GIT/x'), 'content');
    const { stays } = await new Prune(at.ports).prune(2000);
    assert.deepEqual(
      stays.map(({ run, path }) => [run, path]),
      [[OLD, at.work(OLD)]],
    );
    assert.deepEqual(at.left(OLD), [true, false, false]);
  });

  test('one that was cut off is completed by the next', async () => {
    await using at = await disk();
    const say = async (): Promise<void> => at.stop.abort(); // the owner closes as soon as it has begun
    await assert.rejects(new Prune({ ...at.ports, say }).prune(3000), (error) =>
      isRefusal(error, 'owner.closing'),
    );
    assert.deepEqual(at.left(OLD), ALL);
    const { signal } = new AbortController();
    const { runs } = await new Prune({ ...at.ports, signal }).prune(3000);
    assert.deepEqual([runs, at.left(OLD), at.left(NEW), at.left(LIVE)], [2, NONE, NONE, ALL]);
  });
});
