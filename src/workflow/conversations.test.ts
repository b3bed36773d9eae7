/** Conversations of steps: which step continues one, how often, and when it begins a new one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../base/json.ts';
import { driveWorkflow } from '../../test/support/drive-workflow.ts';
import { definition, review, role } from '../../test/support/workflow-fixture.ts';
import { workflowTable } from '../../test/support/workflow-table.ts';

const CONTINUITY = { roles: ['planner', 'helper'], turnsMax: 2 };
const planned = (continuity: typeof CONTINUITY | null = CONTINUITY) =>
  definition(
    {
      plan: role('planner', 'look'),
      look: role('ann', null, { onReject: 'plan' }),
    },
    { limits: { roundsMax: 9 }, ...(continuity === null ? {} : { continuity }) },
  );
const rejects = (description: string): { readonly answer: Json } => ({
  answer: {
    status: 'CHANGES_REQUESTED',
    issues: [{ severity: 'high', description }],
    suggestions: [],
  },
});
const LOOK = 'look by ann';
const BACK = 'plan by planner (review from look)';
const DONE = 'unverified: every step is done';

workflowTable('a step of a role that may continue its conversation', [
  [
    'begins a new one, continues it when it runs again, and begins another when the bound is reached',
    {
      definition: planned(),
      runs: { ann: ['a', 'b', 'c', 'd'].map(rejects) },
    },
    [
      ...['plan by planner', LOOK],
      ...[`${BACK}, continues run of step-plan-1`, LOOK],
      ...[`${BACK}, continues run of step-plan-3`, LOOK],
      ...[BACK, LOOK],
      ...[`${BACK}, continues run of step-plan-7`, LOOK],
      DONE,
    ],
  ],
  [
    'begins a new one after a failure',
    {
      definition: planned(),
      runs: { ann: [rejects('a'), rejects('b')], planner: [{}, { failure: 'invalid_output' }] },
    },
    [
      ...['plan by planner', LOOK],
      `${BACK}, continues run of step-plan-1`,
      ...['plan by planner (parsing from plan)', LOOK],
      ...[`${BACK}, continues run of step-plan-4`, LOOK],
      DONE,
    ],
  ],
  [
    'begins a new one if its agent has left no conversation',
    {
      definition: planned(),
      runs: { ann: [rejects('a')], planner: [{ isForgotten: true }] },
    },
    ['plan by planner', LOOK, BACK, LOOK, DONE],
  ],
  [
    'also continues the one of another step of the same role',
    {
      definition: definition(
        {
          explore: role('helper', 'build'),
          build: role('coder', 'drill'),
          drill: role('helper', null),
        },
        { continuity: CONTINUITY },
      ),
    },
    [
      ...['explore by helper', 'build by coder'],
      'drill by helper, continues run of step-explore-1',
      'unverified: helper is done',
    ],
  ],
  [
    'continues it if the owner died while it was prepared',
    {
      definition: planned(),
      runs: { ann: [rejects('a')] },
      dies: ['prepare-plan-3'],
    },
    [
      ...['plan by planner', LOOK],
      `${BACK}, continues run of step-plan-1`,
      `${BACK}, continues run of step-plan-1`,
      ...[LOOK, DONE],
    ],
  ],
]);

workflowTable('every other step begins a new conversation', [
  [
    'if the workflow names no role',
    { definition: planned(null), runs: { ann: [rejects('a')] } },
    ['plan by planner', LOOK, BACK, LOOK, DONE],
  ],
  [
    'if its role is not named, and reviewers side by side in any case',
    {
      definition: definition(
        {
          implement: role('coder', 'review'),
          review: review(['ann', 'bob'], null, { onReject: 'implement' }),
        },
        { continuity: { roles: ['ann', 'planner'], turnsMax: 3 } },
      ),
      runs: { bob: [rejects('a')] },
    },
    [
      ...['implement by coder', 'review by ann', 'review by bob'],
      ...['implement by coder (review from review)', 'review by ann', 'review by bob'],
      'unverified: coder is done',
    ],
  ],
]);

test('a continued conversation is looked up by the folder of the run that began it', () => {
  const { prepared } = driveWorkflow({
    definition: planned(),
    runs: { ann: [rejects('a'), rejects('b')] },
  });
  assert.deepEqual(
    prepared.flatMap(({ step, continues }) => (step === 'plan' ? [continues ?? null] : [])),
    [
      null,
      {
        ...{ agent: 'a', identity: 'a', session: 'session of run of step-plan-1' },
        ...{ run: 'run of step-plan-1', folderOf: 'run of step-plan-1' },
      },
      {
        ...{ agent: 'a', identity: 'a', session: 'session of run of step-plan-3' },
        ...{ run: 'run of step-plan-3', folderOf: 'run of step-plan-1' },
      },
    ],
  );
});
