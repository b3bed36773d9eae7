/** The run of a graph, driven without an engine: a script ends its commands. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FeatureWorld, goesWell } from '../../../test/support/feature-world.ts';
import type { LooseEnd } from '../../../test/support/run-event.ts';
import { graphOf, progressOf } from '../feature-state.ts';

type Ends = Readonly<Record<string, LooseEnd>>;

const done = (result: object): LooseEnd => ({ kind: 'done', result });
const green = (coverage?: number): LooseEnd =>
  done({ kind: 'passed', name: 'e2e', ...(coverage && { coverage: { percent: coverage } }) });
const red = done({ kind: 'failed', name: 'e2e', exit: 3, tail: 'not ok 1\nnot ok 2' });
const failedRun = done({ run: 'c', outcome: { kind: 'failed', reason: 'no' } });
const says = (text: string): LooseEnd => done({ answer: text });

/** Ends the oldest open command first, and cancelled ones before all others. */
function drive(
  nodes: string,
  ends: Ends = {},
  more: { readonly ask?: boolean } = {},
): FeatureWorld {
  const world = new FeatureWorld({ nodes, ...more });
  for (let steps = 0; world.decide(); steps += 1) {
    assert.ok(steps < 200, 'it decides without end');
    const keys = [...world.open.keys()];
    const key = keys.find((one) => world.open.get(one)?.isCancelled) ?? keys[0] ?? '';
    world.end(key, (name, command, isCancelled) =>
      isCancelled ? goesWell(name, command, true) : (ends[name] ?? goesWell(name, command, false)),
    );
    if (steps % 3 === 0) world.crash();
  }
  return world;
}

/** What became of each node, by its name. */
function resultsOf({ state }: FeatureWorld): Readonly<Record<string, string>> {
  return Object.fromEntries(
    graphOf(state).components.map(({ id, name }) => {
      const { state: own, result = 'landed' } = progressOf(state, id);
      return [name, own === 'complete' ? result : own];
    }),
  );
}

const task = (id: string, more = ''): string =>
  `  - { id: ${id}, kind: task, files: [${id}]${more} }\n`;
const gate = (id: string, after: string): string =>
  `  - { id: ${id}, kind: gate, gates: [e2e], after: [${after}] }\n`;
const when = (field: string, operator: string, value: string | number): string =>
  `when: { field: ${field}, operator: ${operator}, value: ${value} }`;

const BRANCH = `${task('a')}${gate('check', 'a')}  - { id: if, kind: branch, after: [check], ${when('check.result', 'equals', 'green')}, then: [b], else: [c] }
${task('b')}${task('c')}  - { id: end, kind: merge, after: [b, c] }
${task('d', ', after: [end]')}${task('e', ', after: [c]')}`;

const LOOP = `  - id: fix
    kind: subgraph
    repeat: { until: { field: check.result, operator: equals, value: green }, max: 3 }
    nodes:
      - { id: work, kind: task, files: [w], task: FIX }
      - { id: check, kind: gate, gates: [e2e], after: [work] }
${task('z', ', after: [fix]')}`;

const HUMAN = `${task('a')}  - { id: look, kind: human, question: Is it right?, after: [a] }
`;
const ASKED = `${HUMAN}  - { id: if, kind: branch, after: [look], ${when('look.result', 'equals', 'yes')}, then: [b] }
${task('b')}`;

const G = 'gate-p1t1-ph1-c2-1-1';
const LOOP_GATE = (round: number): string => `gate-p1t1-ph1-c${round * 3 - 1}-1-1`;
const LOOK = 'ask-p1t1-ph1-c2-1';

describe('a graph', () => {
  type Row = readonly [why: string, nodes: string, ends: Ends, results: object, outcome: RegExp];
  const rows: readonly Row[] = [
    [
      'takes the one way of a branch, skips the other and what follows from it, and meets at a merge',
      BRANCH,
      { [G]: green() },
      {
        ...{ a: 'landed', check: 'green', if: 'yes', b: 'landed', c: 'skipped' },
        ...{ end: 'done', d: 'landed', e: 'skipped' },
      },
      /^succeeded: 3 components on the branch ai\/P1T1-a$/,
    ],
    [
      'takes the other way',
      BRANCH,
      { [G]: red },
      {
        ...{ a: 'landed', check: 'red', if: 'no', b: 'skipped', c: 'landed' },
        ...{ end: 'done', d: 'landed', e: 'landed' },
      },
      /^succeeded: 4 components/,
    ],
    [
      'repeats its rounds until the condition holds, and skips the others',
      LOOP,
      { [LOOP_GATE(1)]: red, [LOOP_GATE(2)]: green() },
      {
        ...{ 'fix#1.work': 'landed', 'fix#1.check': 'red', 'fix#1': 'no' },
        ...{ 'fix#2.work': 'landed', 'fix#2.check': 'green', 'fix#2': 'yes' },
        ...{ 'fix#3.work': 'skipped', 'fix#3.check': 'skipped', 'fix#3': 'skipped' },
        ...{ fix: 'done', z: 'landed' },
      },
      /^succeeded: 3 components/,
    ],
    [
      'fails if the condition does not hold after the last round',
      LOOP,
      { [LOOP_GATE(1)]: red, [LOOP_GATE(2)]: red, [LOOP_GATE(3)]: red },
      {
        ...{ 'fix#1.work': 'landed', 'fix#1.check': 'red', 'fix#1': 'no' },
        ...{ 'fix#2.work': 'landed', 'fix#2.check': 'red', 'fix#2': 'no' },
        ...{ 'fix#3.work': 'landed', 'fix#3.check': 'red', 'fix#3': 'failed' },
        ...{ fix: 'pending', z: 'pending' },
      },
      /^failed: 3 of 4 components landed: P1T1-PH1-C9: its condition does not hold after all 3 rounds/,
    ],
    [
      'fails with a red gate that no condition looks at',
      `${task('a')}${gate('check', 'a')}${task('b', ', after: [check]')}`,
      { [G]: red },
      { a: 'landed', check: 'failed', b: 'pending' },
      /^failed: 1 of 2 components landed: P1T1-PH1-C2: gate e2e is red; blocked by that: P1T1-PH1-C3$/,
    ],
    [
      'continues after a yes of a person',
      ASKED,
      { [LOOK]: says('yes') },
      { a: 'landed', look: 'yes', if: 'yes', b: 'landed' },
      /^succeeded: 2 components/,
    ],
    [
      'lets a branch look at a no of a person',
      ASKED,
      { [LOOK]: says('no') },
      { a: 'landed', look: 'no', if: 'no', b: 'skipped' },
      /^succeeded: 1 component on/,
    ],
    [
      'fails with a no that no condition looks at',
      HUMAN,
      { [LOOK]: says('no') },
      { a: 'landed', look: 'failed' },
      /^failed: 1 of 1 component landed: P1T1-PH1-C2: a person says no$/,
    ],
    [
      'runs the nodes of a parallel side by side, and what follows after all of them',
      `  - id: both\n    kind: parallel\n    nodes:\n    ${task('a')}    ${task('b')}${task('c', ', after: [both]')}`,
      {},
      { 'both.a': 'landed', 'both.b': 'landed', both: 'done', c: 'landed' },
      /^succeeded: 3 components/,
    ],
  ];
  for (const [why, nodes, ends, results, outcome] of rows)
    test(why, () => {
      const world = drive(nodes, ends);
      assert.deepEqual(resultsOf(world), results);
      assert.match(world.trace.at(-1) ?? '', outcome);
    });

  test('compares numbers: files, tries, exit codes and coverage', () => {
    const of = (condition: string, end: LooseEnd): string | undefined =>
      resultsOf(
        drive(
          `${task('a')}${gate('check', 'a')}  - { id: if, kind: branch, after: [check], ${condition}, then: [b] }\n${task('b')}`,
          { [G]: end },
        ),
      )['if'];
    assert.deepEqual(
      [
        of(when('check.coverage', 'at_least', 80), green(80)),
        of(when('check.coverage', 'greater_than', 80), green(80)),
        of(when('check.coverage', 'less_than', 80), green()),
        of(when('check.exit', 'equals', 3), red),
        of(when('a.files', 'at_most', 1), green()),
        of(when('a.tries', 'not_equals', 1), green()),
        of(when('check.result', 'in', '[red, green]'), red),
        of(when('check.result', 'not_in', '[red]'), red),
      ],
      ['yes', 'no', 'no', 'yes', 'yes', 'no', 'yes', 'no'],
    );
  });

  test('tells the next round what the gate printed', () => {
    const world = new FeatureWorld({ nodes: LOOP });
    let text = '';
    while (world.decide()) {
      const second = world.open.get('run-p1t1-ph1-c4-1');
      if (second !== undefined) text = (second.input['submission'] as { task: string }).task;
      const [key = ''] = world.open.keys();
      const end = key === LOOP_GATE(1) ? red : undefined;
      world.end(key, (name, command, isCancelled) => end ?? goesWell(name, command, isCancelled));
    }
    assert.match(
      text,
      /- fix#1\.check: The gate e2e was red on what has landed:\nnot ok 1\nnot ok 2$/,
    );
  });

  test('ends at the first failure, and stops what is at work', () => {
    const { trace } = drive(
      `${task('a')}${task('b')}`,
      { 'run-p1t1-ph1-c1-1': failedRun },
      { ask: false },
    );
    assert.deepEqual(trace, [
      ...['base', 'run-p1t1-ph1-c1-1', 'run-p1t1-ph1-c2-1', 'cancels run-p1t1-ph1-c2-1'],
      'failed: 0 of 2 components landed: P1T1-PH1-C1: its run c ended: failed: no; blocked by that: P1T1-PH1-C2',
    ]);
  });

  test('fails where it would ask, if no person may be asked', () =>
    assert.match(
      drive(HUMAN, {}, { ask: false }).trace.at(-1) ?? '',
      /: it asks a person, and this run may not ask$/,
    ));

  test('of skipped tasks only proves nothing', () => {
    const { trace } = drive(
      `  - { id: look, kind: human, question: Now? }\n  - { id: if, kind: branch, after: [look], ${when('look.result', 'equals', 'yes')}, then: [a] }\n${task('a')}`,
      { 'ask-p1t1-ph1-c1-1': says('no') },
    );
    assert.equal(trace.at(-1), 'unverified: every task of the graph was skipped');
  });
});
