/** What no agent may decide and no retry can repair: each goes to a person, once, with the reason. */
import { definition, gate, review, role } from '../../test/support/workflow-fixture.ts';
import { workflowTable } from '../../test/support/workflow-table.ts';

const WHOLE = definition({
  plan: role('planner', 'implement'),
  implement: role('coder', 'test'),
  test: gate(['test'], 'review', { onFail: 'implement' }),
  review: review(['ann'], null, { onReject: 'implement' }),
});
const TROUBLE = 'asks: continue | accept | stop';
const DONE = ['plan by planner', 'implement by coder', 'gate test'];
const BACK = ['implement by coder (logic from test)', 'gate test'];
const answers = ['stop'];

workflowTable('a person decides', [
  [
    'what follows from a wrong architecture',
    {
      ...{ definition: WHOLE, answers },
      runs: {
        ann: [
          {
            answer: {
              status: 'REJECTED',
              issues: [{ severity: 'high', file: 'a.ts', line: 3, description: 'a second store' }],
              suggestions: [],
            },
          },
        ],
      },
    },
    [
      ...[...DONE, 'review by ann', TROUBLE],
      'failed: review: it says that the approach is wrong: a.ts:3: [high] a second store',
    ],
  ],
  [
    'what a task means that an agent does not understand',
    {
      ...{ definition: WHOLE, answers },
      runs: { planner: [{ answer: { status: 'BLOCKED', blockers: ['which shop is meant?'] } }] },
    },
    ['plan by planner', 'asks: continue | stop', 'failed: plan: which shop is meant?'],
  ],
  [
    'what follows when tests fail again and again',
    { ...{ definition: WHOLE, answers }, gates: { test: ['red', 'red', 'red'] } },
    [
      ...[...DONE, ...BACK, ...BACK, TROUBLE],
      'failed: test: gate test failed: Error: 1 test is red',
    ],
  ],
  [
    'whether more may be spent',
    { ...{ definition: WHOLE, answers }, runs: { coder: [{ failure: 'budget' }] } },
    ['plan by planner', 'implement by coder', 'asks: continue | stop', 'failed: implement: budget'],
  ],
]);
