import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { CheckpointView } from '../../protocol/views/checkpoint-view.ts';
import { checkpointName } from '../../protocol/views/checkpoint-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { smallWorkflow } from '../../../test/support/workflow-performers.ts';
import { answer, workflowWorld } from '../../../test/support/workflow-world.ts';
import { checkpointsOf, findCheckpoint } from './checkpoints-of-run.ts';

type World = Awaited<ReturnType<typeof workflowWorld>>;

async function viewOf({ engine }: World, run: RunId): Promise<RunView> {
  const view = await engine.get(run);
  assert.ok(view !== undefined);
  return view;
}

/** Each with the content of its work instead of commits, which are ids of runs here. */
async function listed(world: World, run: RunId): Promise<readonly string[]> {
  const found = await checkpointsOf(world.journal, await viewOf(world, run));
  const names = new Map<string | null, string>([[null, 'none']]);
  const short = (commit: string | null): string => {
    if (!names.has(commit)) names.set(commit, `c${names.size}`);
    return names.get(commit) ?? '';
  };
  return found.map(
    (one) =>
      `${checkpointName(one)} ${short(one.before)} ${short(one.after)} ${one.files} ${one.outcome}`,
  );
}

async function at(world: World, run: RunId, name: string): Promise<RunId> {
  const view = await viewOf(world, run);
  const { run: owner, seq } = findCheckpoint(view, await checkpointsOf(world.journal, view), name);
  return world.engine.fork(owner as RunId, seq);
}

const WHOLE = [
  'implement#1 none c1 1 passed',
  'test#1 c1 c1 1 failed',
  'implement#2 c1 c2 1 passed',
  'test#2 c2 c2 1 passed',
  'review#1 c2 c2 1 passed',
  'look#1 c2 c2 1 passed',
  'commit#1 c2 c2 1 passed',
];

async function whole(): Promise<{ readonly world: World; readonly run: RunId }> {
  const world = await workflowWorld();
  const run = await world.engine.start(smallWorkflow('one', 3));
  await world.play(run);
  await answer(world.engine, run, 'approve');
  await world.play(run);
  return { world, run };
}

describe('the checkpoints of a workflow', () => {
  test('are the visits of its steps, with the work before and after each', async () => {
    const { world, run } = await whole();
    assert.deepEqual(await listed(world, run), WHOLE);
    const found = await checkpointsOf(world.journal, await viewOf(world, run));
    const second = found.find((one) => checkpointName(one) === 'implement#2');
    assert.match(second?.feedback ?? '', /red/);
    await world.engine.close();
  });

  test('show a step that a person has to decide about, and one that was stopped', async () => {
    const world = await workflowWorld();
    const run = await world.engine.start(smallWorkflow('one', 3));
    await world.play(run);
    assert.equal((await listed(world, run)).at(-1), 'look#1 c2 c2 1 asking');
    await world.engine.signal(run, { kind: 'stop' });
    await world.play(run);
    assert.equal((await listed(world, run)).at(-1), 'look#1 c2 c2 1 stopped');
    await world.engine.close();
  });

  test('are points to continue from: that step and those after it are done again, and no other', async () => {
    const { world, run } = await whole();
    const { engine, effects, play } = world;
    const before = effects.length;
    const fork = await at(world, run, 'test');
    await play(fork);
    await answer(engine, fork, 'approve');
    await play(fork);
    assert.equal((await viewOf(world, fork)).outcome?.kind, 'succeeded');
    const again = effects.slice(before);
    assert.deepEqual(
      again.filter((label) => !/review/.test(label)),
      ['gate test on v2', 'commits v2'],
    );
    assert.equal(again.filter((label) => label.startsWith('review by ')).length, 2);
    assert.deepEqual(await listed(world, fork), WHOLE);
    await engine.close();
  });

  test('of an earlier visit begin with the work and the feedback of that visit', async () => {
    const { world, run } = await whole();
    const { effects, play, engine } = world;
    const before = effects.length;
    const fork = await at(world, run, 'implement#2');
    await play(fork);
    assert.equal(effects[before], 'prepares implement by coder on v1');
    // The checkpoint of a step that the fork did not do itself is in the other run.
    const first = await at(world, fork, 'implement#1');
    const mark = effects.length;
    await play(first);
    assert.equal(effects[mark], 'prepares implement by coder on v0');
    await engine.close();
  });

  test('a fork keeps the spending of the run that was named', async () => {
    const { world, run } = await whole();
    const { engine } = world;
    const fork = await at(world, run, 'test');
    await world.play(fork);
    const spentBefore = async (child: RunId): Promise<number> =>
      (await viewOf(world, child)).budget.before.wallMs;
    const own = await spentBefore(await engine.fork(run, 1));
    const all = await spentBefore(await engine.fork(run, 1, { spentBy: fork }));
    assert.ok(all > own, `${all} ms after ${own} ms`);
    await engine.close();
  });
});

const CHECKPOINTS = ['plan#1', 'implement#1', 'implement#2'].map((name, nth): CheckpointView => {
  const [step = '', visit] = name.split('#');
  return {
    ...{ step, visit: Number(visit), kind: 'role', at: 0, outcome: 'passed' },
    ...{ before: null, after: null, files: 0, feedback: '', outputs: [], run: 'a', seq: nth + 1 },
  };
});
const STEP = { kind: 'role', visits: 1, state: 'passed', runs: [], last: 1 } as const;
const VIEW = {
  id: 'a000000000',
  workflow: {
    name: 'small',
    current: null,
    steps: ['plan', 'implement', 'review'].map((id) => ({ ...STEP, id, runs: [] })),
  },
};

describe('the name of a checkpoint', () => {
  for (const [why, name, expected] of [
    ['a step that ran once', 'plan', 1],
    ['a step means its last visit', 'implement', 3],
    ['a number means that visit', 'implement#1', 2],
    ['blanks around it do not count', ' implement#2 ', 3],
  ] as const)
    test(why, () => assert.equal(findCheckpoint(VIEW, CHECKPOINTS, name).seq, expected));

  for (const [why, name, message, hint] of [
    [
      'a step that the workflow does not have',
      'implment',
      'The workflow of run a000000000 has no step "implment".',
      'Did you mean implement?',
    ],
    [
      'a word that is close to no step',
      'xyz#2',
      'The workflow of run a000000000 has no step "xyz".',
      'Its steps are: plan, implement, review',
    ],
    [
      'a step that has not begun',
      'review',
      'Step review of run a000000000 has not begun, so nothing can continue from it.',
      'Use one of: plan#1, implement#1, implement#2',
    ],
    [
      'a visit that did not happen',
      'implement#3',
      'Step implement of run a000000000 has begun 2 times, so it has no visit 3.',
      'Use one of: plan#1, implement#1, implement#2',
    ],
  ] as const)
    test(`${why} is refused`, () => {
      assert.throws(
        () => findCheckpoint(VIEW, CHECKPOINTS, name),
        (error) => {
          assert.ok(isRefusal(error, 'step.not-found'));
          assert.deepEqual([error.message, error.data.hint], [message, hint]);
          return true;
        },
      );
    });
});
