import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal, Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { which } from '../../host/process/which.ts';
import type { NewOwnerEvent, StoredEvent } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { lockProject, planApply } from '../../workspace/apply/apply.ts';
import { commitWorkspace } from '../../workspace/commit-work.ts';
import { createWorkspace } from '../../workspace/create-workspace.ts';
import { workspacePaths } from '../../workspace/workspace.ts';
import { RunChanges } from './run-changes.ts';
import { realRunTrees } from './run-trees.ts';

const RUN = 'a000000000' as RunId;
const OTHER = 'b000000000' as RunId;
const git = {
  git: which('git', process.env) ?? 'git',
  clock: systemClock,
  tag: `work-test:${process.pid}`,
  userHome: '/nonexistent',
};

function full(): Refusal {
  return new Refusal({ code: 'store.full', message: 'The disk is full; nothing was written.' });
}

/** A project, and a run that has left a new file and a changed one. */
async function left(outcome: RunView['outcome'] = { kind: 'unverified', reason: 'done' }) {
  const dir = await tempDir();
  const root = await realpath(dir.path);
  const [project, home] = [join(root, 'project'), join(root, 'home')];
  await mkdir(project);
  await mkdir(home);
  await writeFile(join(project, 'old.txt'), 'one\n');
  const workspace = await createWorkspace({ path: project, home, run: RUN, attempt: 1 }, git);
  await writeFile(join(workspace.work, 'old.txt'), 'one\ntwo\n');
  await writeFile(join(workspace.work, 'new.txt'), 'new\n');
  const { commit, ref } = await commitWorkspace(workspace.place, git);
  workspace.release();
  const note = { kind: 'kept', ref, commit, root: workspace.place.root, tree: 1 };
  const facts = [{ type: 'command.noted', payload: { key: 'attempt-1', note } }];
  const said: NewOwnerEvent[] = [];
  const hears = { on: async (_event: NewOwnerEvent): Promise<void> => undefined };
  const clock = new ManualClock();
  const work = new RunChanges({
    home,
    clock,
    trees: realRunTrees(home, git),
    view: async () => ({ outcome }) as RunView,
    historyBack: async function* () {
      yield* facts.toReversed() as unknown as StoredEvent[];
    },
    facts: async function* () {
      yield* said as unknown as StoredEvent[];
    },
    say: async (event) => {
      await hears.on(event);
      said.push(event);
    },
  });
  const read = (name: string): Promise<string> => readFile(join(project, name), 'utf8');
  return {
    work,
    clock,
    project,
    place: workspace.place,
    commit,
    said,
    hears,
    facts,
    read,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

type Left = Awaited<ReturnType<typeof left>>;

describe('the work of a run', { timeout: 300_000 }, () => {
  test('is shown without being applied', async () => {
    await using at = await left();
    const { text, files, leftOut } = await at.work.diff(RUN);
    assert.deepEqual(
      [files, leftOut],
      [
        [
          { path: 'new.txt', added: 1, removed: 0 },
          { path: 'old.txt', added: 1, removed: 0 },
        ],
        0,
      ],
    );
    assert.match(text, /^\+two$/m);
    assert.deepEqual([await at.read('old.txt'), at.said], ['one\n', []]);
  });

  test('is taken over, told before and after', async () => {
    await using at = await left();
    const { files, branch } = await at.work.apply(RUN, {});
    assert.deepEqual([files, branch], [2, null]);
    assert.deepEqual([await at.read('old.txt'), await at.read('new.txt')], ['one\ntwo\n', 'new\n']);
    const { commit } = at;
    const answer = { applied: { commit, files: 2, branch: null, made: null, merged: 0 } };
    assert.deepEqual(at.said, [
      { type: 'apply.begun', payload: { run: RUN, commit, branch: null, files: 2 } },
      { type: 'apply.ended', payload: { run: RUN, commit, how: 'applied 2 files', answer } },
    ]);
  });

  test('is answered from the record when the same apply is asked for again (R5)', async () => {
    await using at = await left();
    const request = { key: 'k', digest: 'd' };
    const applied = await at.work.apply(RUN, {}, request);
    const [begun] = at.said as unknown as StoredEvent[];
    assert.deepEqual(begun?.payload, {
      run: RUN,
      commit: at.commit,
      branch: null,
      files: 2,
      request,
    });
    assert.deepEqual(await at.work.recall(begun), applied);
    assert.equal(at.said.length, 2);
  });

  test('says how it ended to the next owner when this one dies before the fact (R5)', async () => {
    await using at = await left();
    const { commit } = at;
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    const refused = { code: 'workspace.changed-meanwhile', message: 'new.txt changed.' };
    const end = { commit, how: 'new.txt changed.', answer: { refused } };
    await writeFile(file, JSON.stringify({ end }));
    const begun = { type: 'apply.begun', seq: 1, payload: { run: RUN, commit } };
    await at.work.takeUp([begun] as unknown as StoredEvent[]);
    assert.deepEqual(at.said, [{ type: 'apply.ended', payload: { run: RUN, ...end } }]);
    assert.equal(existsSync(file), false);
    await assert.rejects(at.work.recall(begun as unknown as StoredEvent), (error) =>
      isRefusal(error, 'workspace.changed-meanwhile'),
    );
  });

  // R10
  test('changes no file before it is on record that it begins', async () => {
    await using at = await left();
    const seen: string[] = [];
    at.hears.on = async ({ type }) => void seen.push(`${type}: ${await at.read('old.txt')}`);
    await at.work.apply(RUN, {});
    assert.deepEqual(seen, ['apply.begun: one\n', 'apply.ended: one\ntwo\n']);
  });

  test('changes no file where it can not be put on record that it begins', async () => {
    await using at = await left();
    at.hears.on = () => Promise.reject(new Error('the journal can not be written'));
    await assert.rejects(at.work.apply(RUN, {}), /can not be written/);
    assert.deepEqual([await at.read('old.txt'), at.said], ['one\n', []]);
  });

  test('leaves no plan behind where it can not be put on record that it begins', async () => {
    await using at = await left();
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    at.hears.on = async () => {
      assert.equal(existsSync(file), true);
      throw new Error('ENOSPC');
    };
    await assert.rejects(at.work.apply(RUN, {}), /ENOSPC/);
    assert.equal(existsSync(file), false);
  });

  test('goes where this request says, not where a plan of an earlier request goes', async () => {
    await using at = await left();
    const { commit } = at;
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    const plan = await planApply(at.place, git, { commit });
    await writeFile(file, JSON.stringify({ kind: 'branch', plan: { ...plan, branch: 'review' } }));
    assert.equal((await at.work.apply(RUN, {})).branch, null);
    assert.deepEqual([await at.read('old.txt'), existsSync(file)], ['one\ntwo\n', false]);

    await using other = await left();
    const tree = await planApply(other.place, git, { commit: other.commit });
    const stale = join(workspacePaths(other.place).record, '..', 'apply.json');
    await writeFile(stale, JSON.stringify({ kind: 'tree', plan: tree }));
    // The project has no git, so no branch can be made: what matters is that its files stay.
    await assert.rejects(other.work.apply(RUN, { branch: 'review' }));
    assert.equal(await other.read('old.txt'), 'one\n');
  });

  test('is not taken up from a plan that goes to another branch than the one on record', async () => {
    await using at = await left();
    const { commit } = at;
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    const plan = await planApply(at.place, git, { commit });
    await writeFile(file, JSON.stringify({ kind: 'tree', plan }));
    const begun = {
      type: 'apply.begun',
      payload: { run: RUN, commit, branch: 'review', files: 2 },
    };
    await at.work.takeUp([begun] as unknown as StoredEvent[]);
    assert.deepEqual([await at.read('old.txt'), existsSync(file)], ['one\n', false]);
  });

  test('goes on from the plan that was written down when an apply was cut off', async () => {
    await using at = await left();
    const plan = await planApply(at.place, git, { commit: at.commit });
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    await writeFile(file, JSON.stringify({ kind: 'tree', plan }));
    await writeFile(join(at.project, 'new.txt'), 'new\n'); // the part that was done already
    assert.equal((await at.work.apply(RUN, {})).files, 2);
    assert.deepEqual([await at.read('old.txt'), existsSync(file)], ['one\ntwo\n', false]);
  });

  test('is taken up by the next owner when an apply was cut off, and only then', async () => {
    await using at = await left();
    const { commit } = at;
    const begun = { type: 'apply.begun', payload: { run: RUN, commit, branch: null, files: 2 } };
    const answer = { applied: { commit, files: 2, branch: null, made: null, merged: 0 } };
    const how = 'applied 2 files';
    const ended = { type: 'apply.ended', payload: { run: RUN, commit, how, answer } };
    await at.work.takeUp([begun, ended] as unknown as StoredEvent[]);
    assert.deepEqual([at.said, await at.read('old.txt')], [[], 'one\n']);

    const plan = await planApply(at.place, git, { commit });
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    await writeFile(file, JSON.stringify({ kind: 'tree', plan }));
    await at.work.takeUp([begun] as unknown as StoredEvent[]);
    assert.deepEqual([at.said, await at.read('old.txt')], [[begun, ended], 'one\ntwo\n']);

    at.said.length = 0;
    await at.work.takeUp([begun] as unknown as StoredEvent[]);
    assert.deepEqual(at.said.at(-1)?.payload, { run: RUN, commit, how: 'ended with its owner' });
  });

  test('stays open while the owner before still applies it, and goes on afterwards', async () => {
    const asks = [
      (at: Left, begun: StoredEvent) => at.work.takeUp([begun]),
      async (at: Left) => void (await at.work.apply(RUN, {})),
    ];
    for (const ask of asks) {
      await using at = await left();
      const { commit } = at;
      const begun = { type: 'apply.begun', payload: { run: RUN, commit, branch: null, files: 2 } };
      const plan = await planApply(at.place, git, { commit });
      const file = join(workspacePaths(at.place).record, '..', 'apply.json');
      await writeFile(file, JSON.stringify({ kind: 'tree', plan }));
      const release = await lockProject(at.place, git);
      const again = (): Promise<void> => ask(at, begun as unknown as StoredEvent);
      await assert.rejects(again(), (error) => isRefusal(error, 'workspace.busy'));
      assert.deepEqual([at.said, existsSync(file)], [[begun], true]);
      release();
      await again();
      assert.equal(at.said.at(-1)?.type, 'apply.ended');
      assert.deepEqual([await at.read('old.txt'), existsSync(file)], ['one\ntwo\n', false]);
    }
  });

  test('is over where another apply stands in its way before it has changed anything', async () => {
    await using at = await left();
    const release = await lockProject(at.place, git);
    await assert.rejects(at.work.apply(RUN, {}), (error) => isRefusal(error, 'workspace.busy'));
    release();
    assert.deepEqual(
      at.said.map(({ type }) => type),
      ['apply.begun', 'apply.ended'],
    );
  });

  test('is not taken up where an apply that is under way has its turn first', async () => {
    await using at = await left();
    const { commit } = at;
    const begun = { type: 'apply.begun', payload: { run: RUN, commit, branch: null, files: 2 } };
    const applying = at.work.apply(RUN, {});
    await at.work.takeUp([begun] as unknown as StoredEvent[]);
    assert.equal((await applying).files, 2);
    assert.deepEqual(
      at.said.map(({ type }) => type),
      ['apply.begun', 'apply.ended'],
    );
  });

  test('is not said to have failed where only its end finds no room on the disk', async () => {
    await using at = await left();
    let isFull = true;
    at.hears.on = async ({ type }) => {
      if (type === 'apply.ended' && isFull) throw full();
    };
    const applying = at.work.apply(RUN, {});
    await eventually('it waits for room', () => at.clock.sleeping === 1, 60_000);
    assert.deepEqual([await at.read('old.txt'), at.said.length], ['one\ntwo\n', 1]);
    isFull = false;
    await at.clock.advance(1000);
    assert.equal((await applying).files, 2);
    assert.deepEqual(
      at.said.map(({ type }) => type),
      ['apply.begun', 'apply.ended'],
    );
  });

  test('is taken up also where another one can not be, and what stood in its way is told', async () => {
    await using at = await left();
    const { commit } = at;
    const beginOf = (run: string) => ({
      type: 'apply.begun',
      payload: { run, commit, branch: null, files: 2 },
    });
    await mkdir(join(workspacePaths({ ...at.place, run: OTHER }).record, '..'), {
      recursive: true,
    });
    let isFull = true;
    at.hears.on = async ({ payload }) => {
      if (isFull && 'run' in payload && payload.run === OTHER) throw full();
    };
    const facts = [beginOf(OTHER), beginOf(RUN)] as unknown as StoredEvent[];
    await assert.rejects(at.work.takeUp(facts), (error) => isRefusal(error, 'store.full'));
    const how = 'ended with its owner';
    const saidOf = (run: string) => ({ type: 'apply.ended', payload: { run, commit, how } });
    assert.deepEqual(at.said, [saidOf(RUN)]);
    isFull = false;
    await at.work.apply(RUN, {});
    assert.deepEqual(at.said[1], saidOf(OTHER));
  });

  test('is not taken over where the user has done otherwise', async () => {
    await using at = await left();
    await writeFile(join(at.project, 'new.txt'), 'mine\n');
    await assert.rejects(at.work.apply(RUN, {}), (error) => isRefusal(error, 'workspace.conflict'));
    assert.deepEqual([await at.read('old.txt'), await at.read('new.txt')], ['one\n', 'mine\n']);
    assert.deepEqual(at.said, []);
  });

  test('is put away and can still be seen', async () => {
    await using at = await left();
    assert.deepEqual(await at.work.discard(RUN), {
      kind: 'gone',
      ref: `refs/supervisor/${RUN}/1`,
    });
    assert.equal(existsSync(workspacePaths(at.place).work), false);
    assert.equal((await at.work.diff(RUN)).files.length, 2);
  });

  test('is left alone while the run goes on', async () => {
    await using at = await left(null);
    for (const ask of [at.work.apply(RUN, {}), at.work.discard(RUN)])
      await assert.rejects(ask, (error) => isRefusal(error, 'run.not-ended'));
  });

  test('is found in its tree, and then on its ref, when the attempt was lost with its owner', async () => {
    await using at = await left();
    const begun = { type: 'command.begun', payload: { key: 'attempt-2', command: 'attempt' } };
    at.facts.push(begun as unknown as (typeof at.facts)[number]);
    await writeFile(join(workspacePaths(at.place).work, 'later.txt'), 'later\n');
    assert.equal((await at.work.diff(RUN)).files.length, 3);
    at.facts.length = 0;
    assert.equal((await at.work.discard(RUN)).kind, 'gone');
    assert.equal((await at.work.diff(RUN)).files.length, 3);
  });

  test('is not there when nothing was done', async () => {
    await using at = await left();
    at.facts.length = 0;
    const other = 'b000000000' as RunId;
    await assert.rejects(at.work.diff(other), (error) => isRefusal(error, 'workspace.not-found'));
  });
});
