/** The run of a feature that spans projects: a base, a branch and a merge queue for each, and shared interfaces. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FeatureWorld, goesWell } from '../../test/support/feature-world.ts';
import type { FeatureSetup } from '../../test/support/feature-world.ts';
import type { LooseEnd } from '../../test/support/run-event.ts';
import { progressOf } from './feature-state.ts';

const A = 'p1t1-ph1-c1';
const B = 'p1t1-ph1-c2';
const TWO: FeatureSetup = {
  projects: '  api: { path: . }\n  web: { path: ../web }',
  phases:
    '  - { id: one, components: [{ id: a, files: [x], project: api }, { id: b, files: [x], project: web }] }',
};
const SHARED: FeatureSetup = {
  ...TWO,
  phases: `  - id: one
    interfaces: [{ file: t.d.ts, definition: 'export type T = 1;' }]
    components: [{ id: a, files: [x], project: api }, { id: b, files: [x], project: web }]`,
};

const done = (result: object): LooseEnd => ({ kind: 'done', result });
const asks = done({
  ...{ work: null, base: null },
  interfaceChanges: [{ file: 't.d.ts', reason: 'it lacks U', definition: 'export type U = 2;' }],
});
const RED = done({ kind: 'failed', name: 'interfaces', exit: 1, tail: 'TS2304' });

type Ends = Readonly<Record<string, LooseEnd>>;

/** Ends the oldest open command first. */
function drive(setup: FeatureSetup, ends: Ends = {}): FeatureWorld {
  const world = new FeatureWorld(setup);
  for (let steps = 0; world.decide(); steps += 1) {
    assert.ok(steps < 200, 'it decides without end');
    const keys = [...world.open.keys()];
    const key = keys.find((one) => world.open.get(one)?.isCancelled) ?? keys[0] ?? '';
    world.end(key, (name, command, isCancelled) =>
      isCancelled ? goesWell(name, command, true) : (ends[name] ?? goesWell(name, command, false)),
    );
  }
  return world;
}

describe('a feature of two projects', () => {
  test('stores both bases, and merges in both at the same time', () => {
    const { trace } = drive(TWO);
    assert.deepEqual(trace, [
      ...['base-api', 'base-web', `run-${A}-1`, `run-${B}-1`, `collect-${A}-1`, `collect-${B}-1`],
      ...[`merge-${A}-1`, `merge-${B}-1`, `gate-${A}-1-1`, `gate-${B}-1-1`],
      ...[`commit-${A}-1`, `commit-${B}-1`],
      'succeeded: 2 components on the branch ai/P1T1-a of api, web',
    ]);
  });

  test('starts nothing if one of the bases cannot be stored', () => {
    const world = drive(TWO, { 'base-web': done({ kind: 'refused', why: 'no disk' }) });
    assert.deepEqual(world.trace, ['base-api', 'base-web', 'refused: web: no disk']);
  });

  test('waits for the other base before it ends', () => {
    const world = new FeatureWorld(TWO);
    world.decide();
    world.end('base-web', () => done({ kind: 'refused', why: 'no disk' }));
    assert.equal(world.decide(), true);
    world.end('base-api', (key, command) => goesWell(key, command, false));
    assert.equal(world.decide(), false);
  });

  test('is unverified if one of them has no gates', () => {
    const { trace } = drive({ ...TWO, gates: [] });
    assert.match(trace.at(-1) ?? '', /^unverified: 2 components/);
  });

  test('keeps the queue of the other one moving while work is given back', () => {
    const conflict = done({ kind: 'conflict', files: ['x'], text: 'diff' });
    const { trace } = drive(TWO, { [`merge-${A}-1`]: conflict });
    assert.ok(trace.indexOf(`commit-${B}-1`) < trace.indexOf(`merge-${A}-2`));
    assert.match(trace.at(-1) ?? '', /^succeeded/);
  });
});

describe('an interface that two projects share', () => {
  const locked = (world: FeatureWorld): unknown =>
    Object.entries(world.state.interfaces).map(([key, { text, version }]) => [key, text, version]);

  test('is written in both before any component starts', () => {
    const { trace } = drive(SHARED);
    const starts = trace.indexOf(`run-${A}-1`);
    for (const key of ['commit-p1t1-ph1-c01-1', 'commit-p1t1-ph1-c02-1'])
      assert.ok(trace.indexOf(key) !== -1 && trace.indexOf(key) < starts, key);
  });

  test('gets a new version in both if a component of one asks for it, and both users start again', () => {
    const world = drive(SHARED, {
      [`collect-${A}-1`]: asks,
      [`ask-${A}-1`]: done({ answer: 'accept' }),
    });
    assert.deepEqual(locked(world), [
      ['api:t.d.ts', 'export type U = 2;', 2],
      ['web:t.d.ts', 'export type U = 2;', 2],
    ]);
    const { state } = world;
    assert.deepEqual(
      [A, B].map((id) => progressOf(state, id.toUpperCase()).tries),
      [2, 2],
    );
    assert.match(world.trace.at(-1) ?? '', /^succeeded/);
  });

  test('stays as it was in both if the new version does not pass in one of them', () => {
    // The other component of web lands first, so its queue is one merge further.
    for (const red of ['gate-p1t1-ph1-c01-2-1', 'gate-p1t1-ph1-c02-3-1']) {
      const world = drive(SHARED, {
        ...{ [`collect-${A}-1`]: asks, [`ask-${A}-1`]: done({ answer: 'accept' }) },
        ...{ [red]: RED, [`collect-${A}-2`]: done({ work: null, base: null }) },
      });
      assert.ok(world.trace.includes(red), red);
      const texts = Object.values(world.state.interfaces).map(({ text }) => text);
      assert.deepEqual(texts, ['export type T = 1;', 'export type T = 1;'], red);
      assert.match(world.trace.at(-1) ?? '', /^succeeded/);
    }
  });
});
