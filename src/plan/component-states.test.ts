import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { ComponentState, Waiting } from './component-states.ts';
import { featureState, findReady, phaseState, rollUp } from './component-states.ts';
import { COMPONENT_STATE_NAMES } from '../protocol/views/feature-view.ts';
import { expectedSchedule } from './expected-speedup.ts';
import type { Component, Feature, PhaseGate } from '../protocol/feature.ts';
import { allComponents } from '../protocol/feature.ts';
import { findAncestors, findCycle, inOrder, toGraph } from './feature-graph.ts';
import { findOverlap } from './patterns-overlap.ts';
import { drawFeature, renderMermaid } from './graph-text.ts';

type Part = readonly [id: string, dependsOn?: string, touches?: string];

function component([id, dependsOn = '', touches = `${id}.ts`]: Part): Component {
  const list = (text: string): readonly string[] => (text === '' ? [] : text.split(' '));
  const files = list(touches);
  const about = { id, name: id, title: `Part "${id}"`, task: id, role: null };
  return { ...about, files, touches: files, dependsOn: list(dependsOn) };
}

function feature(phases: readonly (readonly Part[])[], gates: readonly PhaseGate[] = []): Feature {
  return {
    ...{ id: 'P1T1', title: 'A feature', description: '', workflow: null },
    phases: phases.map((parts, nth) => ({
      ...{ id: `P1T1-PH${nth + 1}`, name: `p${nth + 1}`, title: `Phase ${nth + 1}` },
      gate: gates[nth] ?? 'all-complete',
      components: parts.map(component),
    })),
  };
}

function words({ id, why }: Waiting): string {
  switch (why.kind) {
    case 'dependency':
      return `${id} waits for ${why.on.join(' ')}`;
    case 'overlap':
      return `${id} overlaps ${why.with} in ${why.patterns.join(' and ')}`;
    case 'changed':
      return `${id} and ${why.with} change ${why.file}`;
    case 'capacity':
      return `${id} waits for one of ${why.capacity} places`;
    case 'blocked':
      return `${id} is blocked by ${why.by.join(' ')}`;
  }
}

const NONE = {};

describe('what can start', () => {
  type Row = {
    readonly why: string;
    readonly given: Feature;
    readonly states?: Readonly<Record<string, ComponentState>>;
    readonly capacity?: number;
    readonly touched?: Readonly<Record<string, readonly string[]>>;
    readonly start: string;
    readonly waiting?: readonly string[];
  };
  const rows: readonly Row[] = [
    {
      why: 'components without dependencies start together',
      given: feature([[['a'], ['b']]]),
      start: 'a b',
    },
    {
      why: 'a component waits for what it names',
      given: feature([[['a'], ['b', 'a'], ['c', 'a b']]]),
      start: 'a',
      waiting: ['b waits for a', 'c waits for a b'],
    },
    {
      why: 'a component starts when all that it waits for is complete',
      given: feature([[['a'], ['b'], ['c', 'a b']]]),
      states: { a: 'complete', b: 'complete' },
      start: 'c',
    },
    {
      why: 'a phase waits for every component of the phase before',
      given: feature([[['a'], ['b']], [['c']]]),
      states: { a: 'complete', b: 'review' },
      start: '',
      waiting: ['c waits for b'],
    },
    {
      why: 'a phase that needs interfaces only does not wait for the phase before',
      given: feature([[['a']], [['b']]], ['all-complete', 'interfaces-locked']),
      start: 'a b',
    },
    {
      why: 'the phase after one that needs interfaces only waits for both before it',
      given: feature([[['a']], [['b']], [['c']]], ['all-complete', 'interfaces-locked']),
      states: { b: 'complete' },
      start: 'a',
      waiting: ['c waits for a'],
    },
    {
      why: 'components that touch the same file take turns',
      given: feature([[['a', '', 'src/*'], ['b', '', 'src/b.ts'], ['c']]]),
      start: 'a c',
      waiting: ['b overlaps a in src/b.ts and src/*'],
    },
    {
      why: 'a component at work holds its files',
      given: feature([
        [
          ['a', '', 'src/*'],
          ['b', '', 'src/b.ts'],
        ],
      ]),
      states: { a: 'merging' },
      start: '',
      waiting: ['b overlaps a in src/b.ts and src/*'],
    },
    {
      why: 'the name of a changed file is no pattern',
      given: feature([[['a'], ['b']]]),
      states: { a: 'implementing' },
      touched: { a: ['**', '{a,b}.ts'] },
      start: 'b',
    },
    {
      why: 'a complete component holds no file',
      given: feature([
        [
          ['a', '', 'src/*'],
          ['b', '', 'src/b.ts'],
        ],
      ]),
      states: { a: 'complete' },
      start: 'b',
    },
    {
      why: 'a component waits for another one that has changed a file of it, declared or not',
      given: feature([
        [
          ['a', '', 'a.ts'],
          ['b', '', 'src/*'],
        ],
      ]),
      states: { a: 'merging' },
      touched: { a: ['a.ts', 'src/list.ts'] },
      start: '',
      waiting: ['b and a change src/list.ts'],
    },
    {
      why: 'a component that is tried again waits for another one that touches what it has changed',
      given: feature([
        [
          ['a', '', 'src/*'],
          ['b', '', 'b.ts'],
        ],
      ]),
      states: { a: 'implementing' },
      touched: { b: ['b.ts', 'src/list.ts'] },
      start: '',
      waiting: ['b and a change src/list.ts'],
    },
    {
      why: 'what a complete component has changed holds nothing back',
      given: feature([
        [
          ['a', '', 'a.ts'],
          ['b', '', 'src/*'],
        ],
      ]),
      states: { a: 'complete' },
      touched: { a: ['src/list.ts'] },
      start: 'b',
    },
    {
      why: 'no more start than the capacity allows, those at work included',
      given: feature([[['a'], ['b'], ['c'], ['d']]]),
      states: { a: 'implementing', d: 'merging' },
      capacity: 2,
      start: 'b',
      waiting: ['c waits for one of 2 places'],
    },
    {
      why: 'a failed component blocks what waits for it, and nothing else',
      given: feature([[['a'], ['b', 'a'], ['c']]]),
      states: { a: 'failed' },
      start: 'c',
      waiting: ['b is blocked by a'],
    },
  ];
  for (const row of rows)
    test(row.why, () => {
      const { given, states = NONE, capacity = 10, start, waiting = [] } = row;
      const touched = new Map(Object.entries<readonly string[]>(row.touched ?? NONE));
      const ready = findReady(toGraph(given), new Map(Object.entries(states)), capacity, touched);
      assert.equal(ready.start.join(' '), start);
      assert.deepEqual(ready.waiting.map(words), waiting);
    });
});

describe('states roll up', () => {
  const rows: readonly [states: string, expected: string][] = [
    ['complete complete', 'complete'],
    ['complete failed', 'failed'],
    ['failed implementing', 'failed'],
    ['complete pending', 'in_progress'],
    ['pending testing', 'in_progress'],
    ['review', 'in_progress'],
    ['merging pending', 'in_progress'],
    ['pending pending', 'pending'],
  ];
  for (const [states, expected] of rows)
    test(`${states}: ${expected}`, () =>
      assert.equal(rollUp(states.split(' ') as ComponentState[]), expected));

  test('from components to phases to the feature', () => {
    const given = feature([[['a']], [['b']]]);
    const states = new Map<string, ComponentState>([['a', 'complete']]);
    assert.deepEqual(
      given.phases.map((phase) => phaseState(phase, states)),
      ['complete', 'pending'],
    );
    assert.equal(featureState(given, states), 'in_progress');
    assert.equal(featureState(given, new Map([...states, ['b', 'complete']])), 'complete');
  });
});

describe('the expected speed-up', () => {
  const rows: readonly [why: string, given: Feature, capacity: number, speedup: number][] = [
    ['four independent components, four places', feature([[['a'], ['b'], ['c'], ['d']]]), 4, 4],
    ['four independent components, two places', feature([[['a'], ['b'], ['c'], ['d']]]), 2, 2],
    [
      'every pair overlaps',
      feature([
        [
          ['a', '', 'x'],
          ['b', '', 'x'],
          ['c', '', 'x'],
        ],
      ]),
      4,
      1,
    ],
    ['a chain', feature([[['a'], ['b', 'a'], ['c', 'b']]]), 4, 1],
    [
      'two phases of two',
      feature([
        [['a'], ['b']],
        [['c'], ['d']],
      ]),
      4,
      2,
    ],
  ];
  for (const [why, given, capacity, speedup] of rows)
    test(`${why}: ${speedup}`, () =>
      assert.equal(expectedSchedule(toGraph(given), capacity).speedup, speedup));
});

describe('a feature as a diagram', () => {
  const given = feature(
    [[['a'], ['b', 'a']], [['c']], [['d']]],
    ['all-complete', 'interfaces-locked'],
  );

  test('in Mermaid, with phases as boxes', () =>
    assert.equal(
      renderMermaid(given),
      `flowchart LR
  subgraph P1T1_PH1["Phase 1"]
    a["Part &quot;a&quot;"]
    b["Part &quot;b&quot;"]
  end
  subgraph P1T1_PH2["Phase 2"]
    c["Part &quot;c&quot;"]
  end
  subgraph P1T1_PH3["Phase 3"]
    d["Part &quot;d&quot;"]
  end
  a --> b
  P1T1_PH1 -. interfaces .-> P1T1_PH2
  P1T1_PH2 ==> P1T1_PH3
`,
    ));

  test('as lines, with what each waits for', () =>
    assert.deepEqual(
      drawFeature(given, new Map([['a', 'complete']])).map(({ phase, mark, id, after }) =>
        [phase?.arrow ?? '', phase?.title ?? '', mark, id, ...after].join('|'),
      ),
      ['|P1T1-PH1  Phase 1|✔|a', '||○|b|a', '|P1T1-PH2  Phase 2|○|c', '▼|P1T1-PH3  Phase 3|○|d'],
    ));
});

/** Features with any edges between earlier and later components, in up to three phases. */
const anyFeature = fc
  .array(
    fc.record({
      phase: fc.nat(2),
      before: fc.array(fc.nat(9), { maxLength: 3 }),
      touches: fc.constantFrom('x/a.ts', 'x/*', 'y/b.ts', ''),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .map((drafts) => {
    const ordered = drafts.toSorted((a, b) => a.phase - b.phase);
    const parts = ordered.map(({ phase, before, touches }, nth) => ({
      phase,
      part: [
        `c${nth}`,
        [...new Set(before.filter((one) => one < nth))].map((one) => `c${one}`).join(' '),
        touches === '' ? `own${nth}.ts` : touches,
      ] as const,
    }));
    const used = [...new Set(parts.map(({ phase }) => phase))];
    return feature(
      used.map((phase) => parts.filter((one) => one.phase === phase).map(({ part }) => part)),
    );
  });

describe('any feature', () => {
  test('runs every component once, after what it waits for, and never beside one that it overlaps', () => {
    fc.assert(
      fc.property(anyFeature, fc.integer({ min: 1, max: 4 }), (given, capacity) => {
        const graph = toGraph(given);
        const ancestors = findAncestors(graph);
        const { batches } = expectedSchedule(graph, capacity);
        const done = new Set<string>();
        const byId = new Map(allComponents(given).map((one) => [one.id, one]));
        for (const batch of batches) {
          assert.ok(batch.length <= capacity);
          for (const id of batch) {
            assert.ok(!done.has(id));
            for (const before of ancestors.get(id) ?? []) assert.ok(done.has(before));
            for (const other of batch)
              if (other !== id)
                assert.equal(
                  findOverlap(byId.get(id)?.touches ?? [], byId.get(other)?.touches ?? []),
                  undefined,
                );
          }
          for (const id of batch) done.add(id);
        }
        assert.equal(done.size, byId.size);
        assert.equal(findCycle(graph), undefined);
        assert.equal(inOrder(graph).length, byId.size);
      }),
      { numRuns: 500 },
    );
  });

  test('rolls up as a naive count of its components says', () => {
    fc.assert(
      fc.property(
        anyFeature,
        fc.array(fc.constantFrom(...COMPONENT_STATE_NAMES), { minLength: 10, maxLength: 10 }),
        (given, drawn) => {
          const all = allComponents(given);
          const states = new Map(all.map(({ id }, nth) => [id, drawn[nth] ?? 'pending']));
          const count = (state: ComponentState): number =>
            all.filter(({ id }) => states.get(id) === state).length;
          const expected =
            count('complete') === all.length
              ? 'complete'
              : count('failed') > 0
                ? 'failed'
                : count('pending') === all.length
                  ? 'pending'
                  : 'in_progress';
          assert.equal(featureState(given, states), expected);
        },
      ),
      { numRuns: 500 },
    );
  });
});
