import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { outputName } from '../../attempts/output-name.ts';
import { at } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { which } from '../../host/process/which.ts';
import type { NewOwnerEvent } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { runStream } from '../../protocol/streams.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createWorkspace } from '../../workspace/create-workspace.ts';
import { openShadowRepo, readTree } from '../../workspace/shadow-repo.ts';
import { workRef, workspacePaths } from '../../workspace/workspace.ts';
import { realLeftovers } from './prune-leftovers.ts';
import { Prune } from './prune.ts';
import { runEvent } from '../../../test/support/run-event.ts';

const [OLD, NEW, LIVE, UNKNOWN] = ['a1', 'b2', 'c3', 'd4'].map((id) =>
  id.padEnd(10, '0'),
) as unknown as readonly [RunId, RunId, RunId, RunId];
const ENDED: Readonly<Record<string, number | null>> = { [OLD]: 1000, [NEW]: 2000, [LIVE]: null };
const git = {
  git: which('git', process.env) ?? 'git',
  clock: systemClock,
  tag: `prune-test:${process.pid}`,
  userHome: '/nonexistent',
};

/** The brief that each run has pinned, by the letter of its hash. */
const BRIEFS: Readonly<Record<string, string>> = { [OLD]: 'a', [NEW]: 'b', [LIVE]: 'c' };

async function createJournal(): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  for (const [run, endedAt] of Object.entries(ENDED)) {
    const brief = { hash: BRIEFS[run]?.repeat(64) };
    const submission = { program: 'attempts', task: 'work', project: '/p', settings: { brief } };
    const submitted = runEvent({ type: 'run.submitted', payload: submission });
    await journal.append(runStream(run), 0, [submitted], at(1));
    const outcome = { kind: 'unverified', reason: 'done' } as const;
    const ended = { type: 'run.ended', payload: { outcome } } as const;
    if (endedAt !== null) await journal.append(runStream(run), 1, [ended], at(endedAt));
  }
  return journal;
}

/** Stores prompts with an old date, by the letter of their hashes. */
async function keepBriefs(home: string, letters: string): Promise<void> {
  await mkdir(join(home, 'briefs'));
  for (const letter of letters) {
    const path = join(home, 'briefs', `${letter.repeat(64)}.md`);
    await writeFile(path, 'do this');
    await utimes(path, 0, 0);
  }
}

async function briefsIn(home: string): Promise<string> {
  const names = await readdir(join(home, 'briefs'));
  return names.map(([letter]) => letter).join('');
}

/** Four runs, each with a workspace with new work, a home and an output. */
async function disk() {
  const dir = await tempDir();
  const root = await realpath(dir.path);
  const [project, home] = [join(root, 'project'), join(root, 'home')];
  await mkdir(project);
  await writeFile(join(project, 'old.txt'), 'old');
  const trees = new Map<RunId, Awaited<ReturnType<typeof createWorkspace>>>();
  for (const run of [OLD, NEW, LIVE, UNKNOWN]) {
    for (const path of [`homes/${run}/main/.claude/x`, `outputs/${run}/attempt-1.stdout`]) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), 'x'.repeat(5000));
    }
    const workspace = await createWorkspace({ path: project, home, run, attempt: 1 }, git);
    await writeFile(join(workspace.work, 'new.txt'), run);
    workspace.release();
    trees.set(run, workspace);
  }
  const journal = await createJournal();
  const recorded: NewOwnerEvent[] = [];
  const stop = new AbortController();
  const portsUntil = (signal: AbortSignal) => ({
    leftovers: realLeftovers({ home, git, journal: () => journal, signal }),
    journal: () => journal,
    record: async (event: NewOwnerEvent) => void recorded.push(event),
    signal,
  });
  const ports = portsUntil(stop.signal);
  const left = (run: RunId): readonly boolean[] =>
    [join(trees.get(run)?.work ?? ''), join(home, 'homes', run), join(home, 'outputs', run)].map(
      (path) => existsSync(path),
    );
  const kept = async (run: RunId): Promise<readonly string[]> => {
    const { id: workspace } = trees.get(run) ?? assert.fail();
    const vault = await openShadowRepo(workspacePaths(workspace).project, git);
    return [...(await readTree(vault, workRef(workspace))).keys()];
  };
  const work = (run: RunId): string => trees.get(run)?.work ?? assert.fail();
  return {
    ...{ ports, portsUntil, recorded, stop, left, kept, work, home },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const ALL = [true, true, true];
const NONE = [false, false, false];

describe('prune', { timeout: 300_000 }, () => {
  test('plans the leftovers of runs that ended before the given time, with their size, and removes nothing', async () => {
    await using at = await disk();
    const plan = await new Prune(at.ports).plan(2000);
    assert.deepEqual(
      plan.runs.map(({ run, leftovers }) => [run, leftovers.map(({ kind }) => kind)]),
      [[OLD, ['workspace', 'home', 'output']]],
    );
    assert.ok(plan.bytes >= 3 * 4096, String(plan.bytes));
    assert.deepEqual([at.left(OLD), at.recorded], [ALL, []]);
  });

  test('keeps those of a run whose parent is open, because a later step may start with its work', async () => {
    await using at = await disk();
    const journal = at.ports.journal();
    const run = async (id: string): Promise<RunView | undefined> => {
      const view = await journal.run(id);
      return view === undefined || id !== OLD ? view : { ...view, parent: LIVE };
    };
    const readStream: typeof journal.readStream = (stream, page) =>
      journal.readStream(stream, page);
    const prune = new Prune({ ...at.ports, journal: () => ({ run, readStream }) });
    assert.deepEqual((await prune.plan(2000)).runs, []);
  });

  test('removes leftovers when the work is on its ref, and keeps those of open, newer and unknown runs', async () => {
    await using at = await disk();
    const { runs, remaining } = await new Prune(at.ports).prune(1001);
    assert.deepEqual([runs, remaining], [1, []]);
    assert.deepEqual([OLD, NEW, LIVE, UNKNOWN].map(at.left), [NONE, ALL, ALL, ALL]);
    assert.deepEqual(await at.kept(OLD), ['new.txt', 'old.txt']);
    assert.deepEqual(
      at.recorded.map(({ type }) => type),
      ['prune.begun', 'prune.ended'],
    );
    const none = { runs: 0, agents: 0, briefs: 0, bytes: 0, remaining: [] };
    assert.deepEqual(await new Prune(at.ports).prune(1001), none);
  });

  test('keeps a workspace with files that no ref can hold, and lists it', async () => {
    await using at = await disk();
    await mkdir(join(at.work(OLD), '.GIT'));
    await writeFile(join(at.work(OLD), '.GIT/x'), 'content');
    const { remaining } = await new Prune(at.ports).prune(2000);
    assert.deepEqual(
      remaining.map(({ path }) => path),
      [at.work(OLD)],
    );
    assert.deepEqual(at.left(OLD), [true, false, false]);
  });

  test('removes a prompt when only ended runs refer to it', async () => {
    await using at = await disk();
    await keepBriefs(at.home, 'abcd');
    const plan = await new Prune(at.ports).plan(1001);
    assert.deepEqual(
      plan.briefs.map(({ kind, path, bytes }) => [kind, path.at(-4), bytes]),
      [
        ['brief', 'a', 7],
        ['brief', 'd', 7], // of a submission that was never completed
      ],
    );
    assert.equal(await briefsIn(at.home), 'abcd');
    const { briefs, remaining } = await new Prune(at.ports).prune(1001);
    assert.deepEqual([briefs, remaining, await briefsIn(at.home)], [2, [], 'bc']);
    assert.equal((await new Prune(at.ports).prune(3000)).briefs, 1);
    assert.equal(await briefsIn(at.home), 'c');
  });

  test('keeps a young prompt, which may be about to be submitted, and files that are not prompts', async () => {
    await using at = await disk();
    await keepBriefs(at.home, 'ad');
    const [fresh, other] = [`${'d'.repeat(64)}.md`, 'notes.md'];
    for (const name of [fresh, other]) await writeFile(join(at.home, 'briefs', name), 'x');
    await utimes(join(at.home, 'briefs', other), 0, 0);
    const { briefs } = await new Prune(at.ports).prune(systemClock.now());
    assert.deepEqual([briefs, await briefsIn(at.home)], [1, 'dn']);
  });

  test('removes the recording of model calls together with the output of its run', async () => {
    await using at = await disk();
    const recording = join(at.home, 'outputs', OLD, outputName('attempt-1', 'calls'));
    await writeFile(recording, '{}\n');
    await new Prune(at.ports).prune(2000);
    assert.equal(existsSync(recording), false);
  });

  test('completes an earlier prune that was interrupted', async () => {
    await using at = await disk();
    const record = async (): Promise<void> => at.stop.abort(); // the owner closes right after the start is recorded
    await assert.rejects(new Prune({ ...at.ports, record }).prune(3000), (error) =>
      isRefusal(error, 'owner.closing'),
    );
    assert.deepEqual(at.left(OLD), ALL);
    const { signal } = new AbortController();
    const { runs } = await new Prune(at.portsUntil(signal)).prune(3000);
    assert.deepEqual([runs, at.left(OLD), at.left(NEW), at.left(LIVE)], [2, NONE, NONE, ALL]);
  });
});
