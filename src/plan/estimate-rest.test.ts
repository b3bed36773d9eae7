import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ComponentState } from './component-states.ts';
import { estimateRest } from './estimate-rest.ts';
import { toGraph } from './feature-graph.ts';
import { parseFeature } from './parse-feature.ts';

/** Four that are independent, and one that waits for all of them. */
const FEATURE = parseFeature(
  `id: P1T1
title: A feature
phases:
  - { id: one, components: [{ id: a, files: [a] }, { id: b, files: [b] }, { id: c, files: [c] }, { id: d, files: [d] }] }
  - { id: two, components: [{ id: e, files: [e] }] }`,
  'f.yaml',
);

describe('the time that the rest of a feature may take', () => {
  type Row = readonly [
    why: string,
    states: Readonly<Record<string, ComponentState>>,
    capacity: number,
    tookMs: readonly number[],
    elapsedMs: Readonly<Record<string, number>>,
    expected: readonly [soonestMs: number, latestMs: number] | null,
  ];
  const rows: readonly Row[] = [
    ['is unknown before one has landed', {}, 4, [], {}, null],
    ['is all of them, one after the other', {}, 1, [10], {}, [50, 50]],
    ['is less if they run side by side', {}, 4, [10], {}, [20, 20]],
    ['is a range if they took different times', {}, 4, [10, 30], {}, [20, 60]],
    ['leaves out the extremes of many', {}, 4, [1, 10, 20, 30, 900], {}, [20, 60]],
    [
      'counts what is done of those at work',
      { C1: 'complete', C2: 'complete', C3: 'complete', C4: 'implementing' },
      ...([4, [10], { C4: 7 }, [13, 13]] as const),
    ],
    [
      'expects one that is late now',
      { C1: 'complete', C2: 'complete', C3: 'complete', C4: 'merging' },
      ...([4, [10], { C4: 99 }, [10, 10]] as const),
    ],
    ['leaves out what a failed one blocks', { C1: 'failed' }, 4, [10], {}, [10, 10]],
  ];
  for (const [why, states, capacity, tookMs, elapsedMs, expected] of rows)
    test(why, () => {
      const named = <Value>(of: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
        new Map(Object.entries(of).map(([id, value]) => [`P1T1-PH1-${id}`, value]));
      const known = { tookMs, elapsedMs: named(elapsedMs), now: 0 };
      const found = estimateRest(toGraph(FEATURE), named(states), capacity, known);
      const range = found === null ? null : [found.soonestMs, found.latestMs];
      assert.deepEqual(range, expected);
    });
});

describe('with the windows of the agents', () => {
  const NOW = 1000;
  type Window = readonly [usedPercent: number, perAttempt: number | null, resetAt: number];
  type Row = readonly [
    why: string,
    windows: Readonly<Record<string, readonly Window[]>>,
    agents: readonly string[],
    attempts: number,
    expected: readonly [soonestMs: number, latestMs: number, waitsUntil: number | null],
  ];
  // Each component takes 10 ms, four of them begin at once, and the last one waits for all of them.
  const rows: readonly Row[] = [
    [
      'the rest is as long as without, if they hold everything',
      { a: [[10, 5, 5000]] },
      ['a'],
      1,
      [20, 20, null],
    ],
    [
      'a window that is used up keeps everything waiting',
      { a: [[100, 5, 1300]] },
      ['a'],
      1,
      [320, 320, 1300],
    ],
    [
      'a window of unknown use holds work until it is full',
      { a: [[99, null, 1300]] },
      ['a'],
      1,
      [20, 20, null],
    ],
    [
      'one that is full without known use does not',
      { a: [[100, null, 1300]] },
      ['a'],
      1,
      [320, 320, 1300],
    ],
    [
      'what cannot fit any more begins after the reset',
      { a: [[50, 20, 1300]] },
      ['a'],
      1,
      [320, 320, 1300],
    ],
    ['a component needs several attempts', { a: [[50, 10, 1300]] }, ['a'], 2, [320, 320, 1300]],
    [
      'the last component meets the window that the others have filled',
      { a: [[0, 25, 1300]] },
      ['a'],
      1,
      [310, 310, 1300],
    ],
    ['the next agent works meanwhile', { a: [[100, 5, 1300]] }, ['a', 'b'], 1, [20, 20, null]],
    [
      'the one whose window is reset first is next',
      { a: [[100, 5, 9000]], b: [[100, 5, 1300]] },
      ['a', 'b'],
      1,
      [320, 320, 1300],
    ],
    [
      'each window of an agent has to hold the work',
      {
        a: [
          [0, 1, 1200],
          [100, 1, 1400],
        ],
      },
      ['a'],
      1,
      [420, 420, 1400],
    ],
    ['a reset in the past holds nothing up', { a: [[100, 5, 900]] }, ['a'], 1, [20, 20, null]],
    [
      'an attempt larger than a window begins with a whole one',
      { a: [[0, 300, 1300]] },
      ['a'],
      1,
      [320, 320, 1300],
    ],
    ['without agents there are no windows', { a: [[100, 5, 1300]] }, [], 1, [20, 20, null]],
  ];
  for (const [why, windows, agents, attempts, [soonestMs, latestMs, waitsUntil]] of rows)
    test(why, () => {
      const known = Object.entries(windows).map(([identity, own]) => {
        const open = own.map(([usedPercent, perAttempt, resetAt]) => ({
          ...{ usedPercent, perAttempt, resetAt },
        }));
        return [identity, open] as const;
      });
      const quota = { windows: new Map(known), agentsOf: () => agents, attemptsOf: () => attempts };
      const at = { tookMs: [10], elapsedMs: new Map(), now: NOW, quota };
      assert.deepEqual(estimateRest(toGraph(FEATURE), new Map(), 4, at), {
        ...{ soonestMs, latestMs, waitsUntil },
        of: 1,
      });
    });
});

test('nothing is said about a feature of which too much is left to play ahead', () => {
  const rest = (count: number): unknown => {
    const parts = Array.from(
      { length: count },
      (_, nth) => `{ id: c${nth}, files: [src/${nth}.ts], touches: [src/shared.ts] }`,
    );
    const text = `id: P1T1\ntitle: A feature\nphases: [{ id: one, components: [${parts.join(', ')}] }]`;
    const graph = toGraph(parseFeature(text, 'f.yaml'));
    return estimateRest(graph, new Map(), 4, { tookMs: [10], elapsedMs: new Map(), now: 0 });
  };
  const expected = { soonestMs: 5000, latestMs: 5000, of: 1, waitsUntil: null };
  assert.deepEqual(rest(500), expected);
  assert.equal(rest(600), null);
});
