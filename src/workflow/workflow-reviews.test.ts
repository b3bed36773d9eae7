/** Reviews: what several reviewers decide together, and the rounds between them and the step that writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../base/json.ts';
import { driveWorkflow } from '../../test/support/drive-workflow.ts';
import { definition, review, role } from '../../test/support/workflow-fixture.ts';
import { workflowTable } from '../../test/support/workflow-table.ts';

const reviewed = (
  reviewers: readonly string[] = ['ann', 'bob'],
  more: Parameters<typeof review>[2] = {},
) =>
  definition({
    implement: role('coder', 'review'),
    review: review(reviewers, null, { onReject: 'implement', ...more }),
  });

const rejects = (...descriptions: readonly string[]): { readonly answer: Json } => ({
  answer: {
    status: 'CHANGES_REQUESTED',
    issues: descriptions.map((description) => ({
      ...{ severity: 'high', file: 'a.ts', line: 3, description },
    })),
    suggestions: [],
  },
});
const refuses = (description: string): { readonly answer: Json } => ({
  answer: {
    status: 'REJECTED',
    issues: [{ severity: 'high', file: 'a.ts', line: 3, description }],
    suggestions: [],
  },
});
const FAILS = { failure: 'network' } as const;
const BOTH = ['review by ann', 'review by bob'];
const BACK = 'implement by coder (review from review)';
const TROUBLE = 'asks: continue | accept | stop';
const DONE = 'unverified: coder is done';

workflowTable('a review', [
  ['is passed if all approve', { definition: reviewed() }, ['implement by coder', ...BOTH, DONE]],
  [
    'that one reviewer rejects sends the work back with its findings',
    { definition: reviewed(), runs: { bob: [rejects('leaks the file')] } },
    ['implement by coder', ...BOTH, BACK, ...BOTH, DONE],
  ],
  [
    'that any reviewer may pass is passed by one',
    { definition: reviewed(['ann', 'bob'], { agree: 'any' }), runs: { bob: [rejects('x')] } },
    ['implement by coder', ...BOTH, DONE],
  ],
  [
    'that the majority passes is passed',
    {
      definition: reviewed(['ann', 'bob', 'cyd'], { agree: 'majority' }),
      runs: { bob: [rejects('x')] },
    },
    ['implement by coder', ...BOTH, 'review by cyd', DONE],
  ],
  [
    'tries a reviewer that fails once more, alone',
    { definition: reviewed(), runs: { ann: [FAILS] } },
    ['implement by coder', ...BOTH, 'review by ann', DONE],
  ],
  [
    'with a reviewer that fails twice has no result, and a person decides',
    { definition: reviewed(), runs: { ann: [FAILS, FAILS] } },
    ['implement by coder', ...BOTH, 'review by ann', TROUBLE],
  ],
  [
    'with a reviewer that cannot log in has no result, and the reviewer is not tried again',
    { definition: reviewed(), runs: { ann: [{ failure: 'auth' }] }, answers: ['accept'] },
    [
      ...['implement by coder', ...BOTH, TROUBLE],
      `${DONE}; accepted by ada: review: the review has no result, because a reviewer failed: ann: auth`,
    ],
  ],
  [
    'without a result runs again if a person continues',
    { definition: reviewed(), runs: { ann: [{ failure: 'auth' }] }, answers: ['continue'] },
    ['implement by coder', ...BOTH, TROUBLE, ...BOTH, DONE],
  ],
  [
    'that finds the same in two rounds goes to a person',
    {
      definition: reviewed(['ann']),
      runs: { ann: [rejects('Leaks the file, line 3'), rejects('leaks the file (line 17)')] },
    },
    ['implement by coder', 'review by ann', BACK, 'review by ann', TROUBLE],
  ],
  [
    'that says that the approach is wrong goes to a person at once',
    {
      definition: reviewed(),
      runs: { bob: [refuses('builds its own parser')] },
      answers: ['stop'],
    },
    [
      ...['implement by coder', ...BOTH, TROUBLE],
      'failed: review: it says that the approach is wrong: a.ts:3: [high] builds its own parser',
    ],
  ],
  [
    'that says that the approach is wrong goes back if a person continues',
    { definition: reviewed(), runs: { bob: [refuses('x')] }, answers: ['continue'] },
    ['implement by coder', ...BOTH, TROUBLE, BACK, ...BOTH, DONE],
  ],
  [
    'that says that the approach is wrong has its rounds if no person is asked',
    { definition: reviewed(), runs: { bob: [refuses('x')] }, ask: false },
    ['implement by coder', ...BOTH, BACK, ...BOTH, DONE],
  ],
  [
    'that finds something else each time is bounded by the rounds',
    {
      definition: {
        ...reviewed(['ann']),
        limits: { stepsMax: 50, retriesMax: 3, roundsMax: 2 },
      },
      runs: { ann: [rejects('x'), rejects('y'), rejects('z')] },
      answers: ['stop'],
    },
    [
      ...['implement by coder', 'review by ann', BACK, 'review by ann', BACK, 'review by ann'],
      ...[TROUBLE, 'failed: review: all 2 rounds are used up: a.ts:3: [high] z'],
    ],
  ],
  [
    'without a step to send the work to asks a person',
    { definition: reviewed(['ann'], { onReject: null }), runs: { ann: [rejects('x')] } },
    ['implement by coder', 'review by ann', 'asks: continue | stop'],
  ],
  [
    'by one role sends the work back too',
    {
      definition: definition({
        implement: role('coder', 'check'),
        check: role('ann', null, { onReject: 'implement' }),
      }),
      runs: { ann: [rejects('x')] },
    },
    [
      ...['implement by coder', 'check by ann', 'implement by coder (review from check)'],
      ...['check by ann', DONE],
    ],
  ],
  [
    'by a role with a generic answer needs its own word of approval',
    {
      definition: reviewed(['helper']),
      runs: {
        helper: [
          { answer: { status: 'SUCCESS', review_status: null, blockers: null } },
          { answer: { status: 'SUCCESS', review_status: 'APPROVED', blockers: null } },
        ],
      },
    },
    ['implement by coder', 'review by helper', BACK, 'review by helper', DONE],
  ],
  [
    'without a reviewer is refused',
    { definition: reviewed([]) },
    ['implement by coder', 'refused: the review review has no reviewer'],
  ],
]);

test('the step that wrote the work reads file, line, severity and text of each finding', () => {
  const { prepared } = driveWorkflow({
    definition: reviewed(),
    runs: { ann: [rejects('leaks the file')], bob: [rejects('is slow')] },
  });
  const text = prepared.findLast(({ step }) => step === 'implement')?.feedback?.text ?? '';
  assert.match(text, /a\.ts:3: \[high\] leaks the file\na\.ts:3: \[high\] is slow/);
});

test('what a reviewer writes never becomes the work', () => {
  const { state } = driveWorkflow({
    definition: reviewed(['ann', 'helper']),
    runs: { helper: [{ answer: { status: 'SUCCESS', review_status: 'APPROVED' } }] },
  });
  assert.equal(state.work?.content, 'run of step-implement-1 files');
});
