import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import { FEATURE_PROGRAM } from '../../protocol/feature.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import { questionsOf, withQuestionsBelow } from './questions-below.ts';

const ask: RunView['open'] = [
  { key: 'ask-1', command: 'ask', begunAt: 5, question: 'Which port?' },
];
const step = { id: 'plan', kind: 'role', visits: 1, state: 'running', last: 1 } as const;
const runs = [{ run: 'step', role: 'planner', visit: 1, outcome: null }];
const feature = runViewFixture({
  ...{ id: 'feature', program: FEATURE_PROGRAM, children: 1 },
  open: [{ key: 'run-ph1-c1-1', command: 'run', begunAt: 0, run: 'flow' }],
});
const flow = runViewFixture({
  ...{ id: 'flow', parent: 'feature', children: 1 },
  workflow: { name: 'mvp', current: 'plan', steps: [{ ...step, runs }] },
});
const asking = runViewFixture({ id: 'step', parent: 'flow', open: ask });
const agent = runViewFixture({ id: 'agent', parent: 'flow', program: AGENT_PROGRAM, open: ask });
const other = runViewFixture({ id: 'other' });
const active = [feature, flow, asking, agent, other];

describe('the questions of runs', () => {
  const below: [why: string, view: RunView, asks: readonly string[] | undefined][] = [
    ['count for the workflow of a step', flow, ['step']],
    ['count for the feature above it', feature, ['step']],
    ['of a run itself are no questions below it', asking, undefined],
    ['count for no other run', other, undefined],
    [
      'do not count for a run that has ended',
      { ...flow, outcome: { kind: 'killed', reason: '' } },
      undefined,
    ],
  ];
  for (const [why, view, asks] of below)
    test(why, () => {
      const [found] = withQuestionsBelow([view], active);
      assert.deepEqual(
        found?.asksBelow?.map(({ run }) => run),
        asks,
      );
    });

  test('name the run that a person started, and its part', () =>
    assert.deepEqual(
      questionsOf(active).map(({ run, parent, root, part }) => [run, parent, root, part]),
      [
        ['step', 'flow', 'feature', 'component ph1-c1, step plan'],
        ['agent', 'flow', 'agent', null],
      ],
    ));
});
