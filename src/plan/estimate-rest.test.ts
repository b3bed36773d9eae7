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
      const known = { tookMs, elapsedMs: named(elapsedMs) };
      const found = estimateRest(toGraph(FEATURE), named(states), capacity, known);
      const range = found === null ? null : [found.soonestMs, found.latestMs];
      assert.deepEqual(range, expected);
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
    return estimateRest(graph, new Map(), 4, { tookMs: [10], elapsedMs: new Map() });
  };
  assert.deepEqual(rest(500), { soonestMs: 5000, latestMs: 5000, of: 1 });
  assert.equal(rest(600), null);
});
