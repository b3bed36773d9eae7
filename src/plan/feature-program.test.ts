/** The run of a feature, driven without an engine: a script ends its commands. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomInt, randomItem, seededRandom } from '../base/random.ts';
import type { FeatureSetup } from '../../test/support/feature-world.ts';
import { FeatureWorld, goesWell } from '../../test/support/feature-world.ts';
import type { LooseEnd } from '../../test/support/run-event.ts';
import { at } from '../base/clock.ts';
import { change } from './component-changes.ts';
import { featureState } from './component-states.ts';
import { featureOf, progressOf } from './feature-state.ts';
import { componentStates } from './progress-states.ts';
import { featureProgram } from './feature-program.ts';
import { laneOf } from './lanes.ts';

const A = 'p1t1-ph1-c1';
const B = 'p1t1-ph1-c2';
const ONE: FeatureSetup = { phases: '  - { id: one, components: [{ id: a, files: [a] }] }' };
const PAIR: FeatureSetup = {
  phases: '  - { id: one, components: [{ id: a, files: [a] }, { id: b, files: [b] }] }',
};
const SHARED: FeatureSetup = {
  phases:
    '  - { id: one, components: [{ id: a, files: [a], touches: [x] }, { id: b, files: [b], touches: [x] }] }',
};
const CHAIN: FeatureSetup = {
  phases:
    '  - { id: one, components: [{ id: a, files: [a] }, { id: b, files: [b], depends_on: [a] }] }',
};

type Ends = Readonly<Record<string, LooseEnd | readonly LooseEnd[]>>;

const done = (result: object): LooseEnd => ({ kind: 'done', result });
const CONFLICT = done({ kind: 'conflict', files: ['a'], text: 'diff of a' });
const RED = done({ kind: 'failed', name: 'test', exit: 1, tail: 'not ok 1' });
const FAILED = done({ run: 'c', outcome: { kind: 'failed', reason: 'no' } });
const answer = (text: string): LooseEnd => done({ answer: text });

/** Ends the oldest open command first. `ends`: by key. */
function drive(setup: FeatureSetup, ends: Ends = {}, stopAt?: string): FeatureWorld {
  const world = new FeatureWorld(setup);
  for (let steps = 0; world.decide(); steps += 1) {
    assert.ok(steps < 200, 'it decides without end');
    if (stopAt !== undefined && world.open.has(stopAt) && world.state.stop === null) {
      world.stop();
      continue;
    }
    const [key = ''] = world.open.keys();
    world.end(key, (name, command, isCancelled) => {
      const scripted = isCancelled ? undefined : ends[name];
      return (scripted as LooseEnd | undefined) ?? goesWell(name, command, isCancelled);
    });
  }
  return world;
}

const LANDS = (id: string, run = 1, merge = 1): readonly string[] => [
  ...[`run-${id}-${run}`, `collect-${id}-${run}`, `merge-${id}-${merge}`],
  ...[`gate-${id}-${merge}-1`, `commit-${id}-${merge}`],
];

describe('the run of a feature', () => {
  type Row = readonly [why: string, setup: FeatureSetup, ends: Ends, trace: readonly string[]];
  const rows: readonly Row[] = [
    [
      'runs a component, merges its work, runs the gates, and commits it',
      ONE,
      {},
      ['base', ...LANDS(A), 'succeeded: 1 component on the branch ai/P1T1-a'],
    ],
    [
      'is unverified without gates',
      { ...ONE, gates: [] },
      {},
      [
        ...['base', `run-${A}-1`, `collect-${A}-1`, `merge-${A}-1`, `commit-${A}-1`],
        'unverified: 1 component on the branch ai/P1T1-a',
      ],
    ],
    [
      'runs two components side by side, and merges them one after the other',
      PAIR,
      {},
      [
        ...['base', `run-${A}-1`, `run-${B}-1`, `collect-${A}-1`, `collect-${B}-1`],
        ...[`merge-${A}-1`, `gate-${A}-1-1`, `commit-${A}-1`],
        ...[`merge-${B}-2`, `gate-${B}-2-1`, `commit-${B}-2`],
        'succeeded: 2 components on the branch ai/P1T1-a',
      ],
    ],
    [
      'starts a component after what it depends on has landed',
      CHAIN,
      {},
      ['base', ...LANDS(A), ...LANDS(B, 1, 2), 'succeeded: 2 components on the branch ai/P1T1-a'],
    ],
    [
      'gives a conflict back to its component',
      ONE,
      { [`merge-${A}-1`]: CONFLICT },
      [
        ...['base', ...LANDS(A).slice(0, 3), ...LANDS(A, 2, 2)],
        'succeeded: 1 component on the branch ai/P1T1-a',
      ],
    ],
    [
      'gives a red gate back to its component',
      ONE,
      { [`gate-${A}-1-1`]: RED },
      [
        ...['base', ...LANDS(A).slice(0, 4), ...LANDS(A, 2, 2)],
        'succeeded: 1 component on the branch ai/P1T1-a',
      ],
    ],
    [
      'asks a person after the second failure, and tries again if the person wants that',
      ONE,
      { [`gate-${A}-1-1`]: RED, [`merge-${A}-2`]: CONFLICT },
      [
        ...['base', ...LANDS(A).slice(0, 4), ...LANDS(A, 2, 2).slice(0, 3), `ask-${A}-1`],
        ...[...LANDS(A, 3, 3), 'succeeded: 1 component on the branch ai/P1T1-a'],
      ],
    ],
    [
      'leaves out a component that a person skips, and what depends on it',
      CHAIN,
      { [`run-${A}-1`]: FAILED, [`ask-${A}-1`]: answer('skip') },
      [
        ...['base', `run-${A}-1`, `ask-${A}-1`],
        'failed: 0 of 2 components landed: P1T1-PH1-C1: a person skipped it: its run c ended: failed: no; blocked by that: P1T1-PH1-C2',
      ],
    ],
    [
      'ends if a person says so',
      ONE,
      { [`run-${A}-1`]: FAILED, [`ask-${A}-1`]: answer('stop') },
      [
        ...['base', `run-${A}-1`, `ask-${A}-1`],
        'cancelled: stopped by the user after 0 of 1 component',
      ],
    ],
    [
      'fails instead of asking if no person may be asked',
      { ...ONE, ask: false },
      { [`run-${A}-1`]: FAILED },
      [
        ...['base', `run-${A}-1`],
        'failed: 0 of 1 component landed: P1T1-PH1-C1: its run c ended: failed: no',
      ],
    ],
    [
      'repeats an interrupted command under a new key, and counts it against no component',
      ONE,
      {
        [`collect-${A}-1`]: { kind: 'interrupted' },
        [`merge-${A}-1`]: { kind: 'defect', message: 'oops' },
        [`gate-${A}-1-1`]: { kind: 'interrupted' },
        [`commit-${A}-1`]: { kind: 'interrupted' },
      },
      [
        ...['base', `run-${A}-1`, `collect-${A}-1`, `collect-${A}-1.2`],
        ...[`merge-${A}-1`, `merge-${A}-1.2`, `gate-${A}-1-1`, `gate-${A}-1-1.2`],
        ...[`commit-${A}-1`, `commit-${A}-1.2`],
        'succeeded: 1 component on the branch ai/P1T1-a',
      ],
    ],
    [
      'merges the same work again after a refused commit',
      ONE,
      { [`commit-${A}-1`]: done({ kind: 'refused', why: 'The branch has moved.', ref: 'r' }) },
      [
        ...['base', ...LANDS(A), `ask-${A}-1`, `merge-${A}-2`, `gate-${A}-2-1`, `commit-${A}-2`],
        'succeeded: 1 component on the branch ai/P1T1-a',
      ],
    ],
    [
      'lets finished work keep its files while it waits for a person',
      SHARED,
      { [`commit-${A}-1`]: done({ kind: 'refused', why: 'The branch has moved.', ref: 'r' }) },
      [
        ...['base', ...LANDS(A), `ask-${A}-1`, `merge-${A}-2`, `gate-${A}-2-1`, `commit-${A}-2`],
        ...[...LANDS(B, 1, 3), 'succeeded: 2 components on the branch ai/P1T1-a'],
      ],
    ],
    [
      'ends at once if the project cannot be read',
      ONE,
      { base: done({ kind: 'refused', why: 'too large' }) },
      ['base', 'refused: too large'],
    ],
  ];
  for (const [why, setup, ends, trace] of rows)
    test(why, () => assert.deepEqual(drive(setup, ends).trace, trace));

  test('tells the component what was in its way', () => {
    const { state } = drive(ONE, {
      [`merge-${A}-1`]: CONFLICT,
      [`gate-${A}-2-1`]: RED,
      [`ask-${A}-1`]: answer('skip'),
    });
    assert.match(progressOf(state, 'P1T1-PH1-C1').feedback, /the gate test was red.*not ok 1$/s);
  });

  test('stops its runs, and begins nothing after that', () => {
    assert.deepEqual(drive(PAIR, {}, `run-${A}-1`).trace, [
      ...['base', `run-${A}-1`, `run-${B}-1`, `cancels run-${A}-1`, `cancels run-${B}-1`],
      'cancelled: stopped by the user after 0 of 2 components',
    ]);
  });

  test('records files that a component changed and did not declare', () => {
    const merged = {
      kind: 'merged',
      work: { run: 'a', tree: 1, commit: 'm', content: 'm' },
      names: ['a/x.ts', 'b.ts'],
    };
    const { state } = drive(ONE, { [`merge-${A}-1`]: done(merged) });
    assert.deepEqual(state.landed[0]?.undeclared, ['b.ts']);
  });

  test('counts what a component changed from the work that it began with', () => {
    const work = { run: 'a', tree: 1, commit: 'w', content: 'w', files: 2, names: ['a', 'b'] };
    const collected = done({ work, base: null, changedSince: ['b'] });
    const id = B.toUpperCase();
    const { state } = driveHeld(CHAIN, { base: ['hold', id] }, { [`collect-${B}-1`]: collected });
    assert.deepEqual(progressOf(state, id).touched, ['b']);
    const collecting = change(state, id, { state: 'collecting' });
    assert.deepEqual(featureProgram.next(collecting, at(0), 0.5)[0], {
      ...{ kind: 'perform', key: `collect-${B}-1`, command: 'collect-step' },
      input: { project: state.project, run: 'c', since: laneOf(state, id).tip?.commit },
    });
  });

  test('tries again what failed if it is continued, on a branch of its own', () => {
    const { state } = drive({ ...PAIR, ask: false }, { [`run-${A}-1`]: FAILED });
    const again = featureProgram.fork?.(state, {} as never) ?? assert.fail();
    assert.deepEqual(
      Object.values(again.components).map((one) => one.state),
      ['pending', 'complete'],
    );
    assert.equal(again.continued, 1);
  });
});

type Step = readonly ['hold' | 'release' | 'skip', component: string | null];

/** Plays a person who acts when a command is open for the first time, and one who releases everything at the end. */
function driveHeld(
  setup: FeatureSetup,
  at: Readonly<Record<string, Step>>,
  ends: Ends = {},
): FeatureWorld {
  const world = new FeatureWorld(setup);
  const told = new Set<string>();
  for (let steps = 0; world.decide(); steps += 1) {
    assert.ok(steps < 200, 'it decides without end');
    const [next = 'parked'] = world.open.keys();
    const key = world.isParked ? 'parked' : next;
    const step = told.has(key) ? undefined : at[key];
    told.add(key);
    if (step !== undefined) {
      world.trace.push(step.join(' ').trim());
      world.queue(...step);
    } else if (world.open.size > 0)
      world.end(
        next,
        (name, command, isCancelled) =>
          (ends[name] as LooseEnd | undefined) ?? goesWell(name, command, isCancelled),
      );
    else break;
  }
  return world;
}

describe('the merge queue of a feature', () => {
  const C1 = 'P1T1-PH1-C1';
  type Row = readonly [
    why: string,
    at: Readonly<Record<string, Step>>,
    trace: readonly string[],
    ends?: Ends,
  ];
  const start = ['base', `run-${A}-1`, `run-${B}-1`];
  const collected = [`collect-${A}-1`, `collect-${B}-1`];
  const rows: readonly Row[] = [
    [
      'stands still while it is held, and continues where it was',
      { [`merge-${A}-1`]: ['hold', null], parked: ['release', null] },
      [
        ...[...start, ...collected, `merge-${A}-1`, 'hold'],
        ...['release', `gate-${A}-1-1`, `commit-${A}-1`],
        ...[`merge-${B}-2`, `gate-${B}-2-1`, `commit-${B}-2`],
        'succeeded: 2 components on the branch ai/P1T1-a',
      ],
    ],
    [
      'lets others pass the work of a component that is held',
      { [`run-${A}-1`]: ['hold', C1], parked: ['release', C1] },
      [
        ...[...start, `hold ${C1}`, ...collected],
        ...[`merge-${B}-2`, `gate-${B}-2-1`, `commit-${B}-2`, `release ${C1}`],
        ...[`merge-${A}-3`, `gate-${A}-3-1`, `commit-${A}-3`],
        'succeeded: 2 components on the branch ai/P1T1-a',
      ],
    ],
    [
      'puts work aside after the command that is open, and merges it again later',
      { [`gate-${A}-1-1`]: ['hold', C1], parked: ['release', C1] },
      [
        ...[...start, ...collected, `merge-${A}-1`, `gate-${A}-1-1`, `hold ${C1}`],
        ...[`merge-${B}-2`, `gate-${B}-2-1`, `commit-${B}-2`, `release ${C1}`],
        ...[`merge-${A}-3`, `gate-${A}-3-1`, `commit-${A}-3`],
        'succeeded: 2 components on the branch ai/P1T1-a',
      ],
    ],
    [
      'takes out work that a person skips, and lands the rest',
      { [`merge-${A}-1`]: ['skip', C1] },
      [
        ...[...start, ...collected, `merge-${A}-1`, `skip ${C1}`],
        ...[`merge-${B}-2`, `gate-${B}-2-1`, `commit-${B}-2`],
        'failed: 1 of 2 components landed: P1T1-PH1-C1: a person took it out of the merge queue',
      ],
    ],
    [
      'takes out held work',
      { [`run-${A}-1`]: ['hold', C1], parked: ['skip', C1] },
      [
        ...[...start, `hold ${C1}`, ...collected],
        ...[`merge-${B}-2`, `gate-${B}-2-1`, `commit-${B}-2`, `skip ${C1}`],
        'failed: 1 of 2 components landed: P1T1-PH1-C1: a person took it out of the merge queue',
      ],
    ],
    [
      'does not take back a commit that has begun',
      { [`commit-${A}-1`]: ['skip', C1] },
      [
        ...[...start, ...collected, `merge-${A}-1`, `gate-${A}-1-1`, `commit-${A}-1`],
        ...[`skip ${C1}`, `merge-${B}-2`, `gate-${B}-2-1`, `commit-${B}-2`],
        'succeeded: 2 components on the branch ai/P1T1-a',
      ],
    ],
    [
      'finds out first whether an interrupted commit is on the branch',
      { [`commit-${A}-1`]: ['skip', C1] },
      [
        ...[...start, ...collected, `merge-${A}-1`, `gate-${A}-1-1`, `commit-${A}-1`],
        ...[`skip ${C1}`, `commit-${A}-1.2`, `merge-${B}-2`, `gate-${B}-2-1`, `commit-${B}-2`],
        'succeeded: 2 components on the branch ai/P1T1-a',
      ],
      { [`commit-${A}-1`]: { kind: 'interrupted' } },
    ],
    [
      'does not try again what was skipped while its gate became red',
      { [`gate-${A}-1-1`]: ['skip', C1] },
      [
        ...[...start, ...collected, `merge-${A}-1`, `gate-${A}-1-1`, `skip ${C1}`],
        ...[`merge-${B}-2`, `gate-${B}-2-1`, `commit-${B}-2`],
        'failed: 1 of 2 components landed: P1T1-PH1-C1: a person took it out of the merge queue',
      ],
      { [`gate-${A}-1-1`]: RED },
    ],
  ];
  for (const [why, at, trace, ends] of rows)
    test(why, () => assert.deepEqual(driveHeld(PAIR, at, ends).trace, trace));
});

describe('a note of a component', () => {
  const says = (...notes: readonly string[]): LooseEnd =>
    done({
      ...{ base: null, notes },
      work: { run: 'c', tree: 1, commit: 'w', content: 'w', files: 1, names: ['a'] },
    });
  /** The tasks of all runs, by key. Each run begins when the one before has left its notes. */
  function tasksOf(phases: string, ends: Ends): Readonly<Record<string, string>> {
    const world = new FeatureWorld({ phases, capacity: 1 });
    const tasks: Record<string, string> = {};
    while (world.decide()) {
      for (const { key, input } of world.open.values())
        if ('submission' in input) tasks[key] = (input['submission'] as { task: string }).task;
      const [key = ''] = world.open.keys();
      const end = ends[key] as LooseEnd | undefined;
      world.end(key, (name, command, isCancelled) => end ?? goesWell(name, command, isCancelled));
    }
    return tasks;
  }
  const parts = '{ id: a, files: [a] }, { id: b, files: [b], depends_on: [a] }';
  const phases = `  - { id: one, components: [${parts}, { id: c, files: [c] }] }`;

  test('is told to those that wait for it, on one line, and to no other', () => {
    const tasks = tasksOf(phases, { [`collect-${A}-1`]: says('Ids begin\nwith 1.') });
    assert.match(tasks[`run-${B}-1`] ?? '', /not instructions:\n\n- one\.a: Ids begin with 1\.$/);
    assert.doesNotMatch(tasks['run-p1t1-ph1-c3-1'] ?? '', /Ids begin/);
  });

  test('counts as long as its work does: the next try leaves its own', () => {
    const tasks = tasksOf(phases, {
      [`collect-${A}-1`]: says('Old.'),
      [`merge-${A}-1`]: CONFLICT,
      [`collect-${A}-2`]: says('New.'),
    });
    assert.match(tasks[`run-${B}-1`] ?? '', /- one\.a: New\.$/);
    assert.doesNotMatch(tasks[`run-${B}-1`] ?? '', /Old/);
  });
});

/** Up to eight components in up to three phases, some of which overlap or depend on each other. */
function randomPhases(random: () => number): string {
  const phases = randomInt(random, 1, 3);
  let count = 0;
  return Array.from({ length: phases }, (_, phase) => {
    const names: string[] = [];
    const components = Array.from({ length: randomInt(random, 1, 3) }, () => {
      const name = `c${count}`;
      count += 1;
      const shared = random() < 0.4 ? ', touches: [shared.txt]' : '';
      const before =
        names.length > 0 && random() < 0.4
          ? `, depends_on: [${randomItem(random, names as [string])}]`
          : '';
      names.push(name);
      return `{ id: ${name}, files: [${name}.txt]${shared}${before} }`;
    });
    const gate = random() < 0.3 ? ', gate: interfaces-locked' : '';
    return `  - { id: p${phase}${gate}, components: [${components.join(', ')}] }`;
  }).join('\n');
}

function randomEnd(
  random: () => number,
  key: string,
  command: string,
  isCancelled: boolean,
): LooseEnd {
  if (command !== 'run' && command !== 'ask' && random() < 0.05)
    return { kind: 'defect', message: 'oops' };
  if (command === 'run' && !isCancelled && random() < 0.1) return FAILED;
  if (command === 'merge-work' && random() < 0.2) return CONFLICT;
  if (command === 'gate' && random() < 0.2) return RED;
  if (command === 'ask' && !isCancelled)
    return answer(randomItem(random, ['retry', 'retry', 'skip']));
  return goesWell(key, command, isCancelled);
}

/** A person holds, releases or skips something. What makes no sense is ignored. */
function act(world: FeatureWorld, random: () => number): void {
  const ids = Object.keys(world.state.components);
  const component = random() < 0.4 ? null : randomItem(random, ids as [string]);
  world.queue(randomItem(random, ['hold', 'release', 'release', 'skip']), component);
}

describe('any feature', () => {
  test('keeps the rules and ends, whatever happens', () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = seededRandom(seed);
      const setup = {
        phases: randomPhases(random),
        capacity: randomInt(random, 1, 4),
        gates: random() < 0.5 ? ['test'] : ['lint', 'test'],
        ask: random() < 0.8,
      };
      try {
        const world = new FeatureWorld(setup);
        for (let steps = 0; world.decide(); steps += 1) {
          assert.ok(steps < 3000, 'it decides without end');
          if (random() < 0.03) world.crash();
          else if (world.isParked || random() < 0.05) act(world, random);
          else if (random() < 0.001) world.stop();
          else if (world.open.size > 0)
            world.end(
              randomItem(random, [...world.open.keys()] as [string]),
              (key, command, isCancelled) => randomEnd(random, key, command, isCancelled),
            );
        }
        const { state, outcome } = world;
        seen.add(outcome?.kind ?? '');
        const states = componentStates(state);
        const landed = state.landed.map(({ id }) => id);
        const complete = [...states].filter(([, one]) => one === 'complete').map(([id]) => id);
        assert.deepEqual(landed.toSorted(), complete.toSorted());
        assert.equal(new Set(landed).size, landed.length);
        if (outcome?.kind === 'succeeded')
          assert.equal(featureState(featureOf(state).plan, states), 'complete');
        if (outcome?.kind === 'failed')
          assert.equal(featureState(featureOf(state).plan, states), 'failed');
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
    assert.deepEqual([...seen].toSorted(), ['cancelled', 'failed', 'succeeded']);
  });
});
