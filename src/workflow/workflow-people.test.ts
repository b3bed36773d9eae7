/** Questions to people, and people who stop a workflow. Only the exact word approves. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { driveWorkflow } from '../../test/support/drive-workflow.ts';
import {
  commit,
  definition,
  gate,
  human,
  review,
  role,
} from '../../test/support/workflow-fixture.ts';
import { workflowTable } from '../../test/support/workflow-table.ts';

const APPROVAL = 'asks: approve | reject | send-back';
const LOOKED = definition({ implement: role('coder', 'look'), look: human(null) });
const APPROVED_PLAN = definition({
  plan: role('planner', 'implement', { humanApproval: true }),
  implement: role('coder', null),
});
const DONE = 'unverified: coder is done';

workflowTable('an approval', [
  [
    'lets the workflow continue',
    { definition: LOOKED, answers: ['approve'] },
    ['implement by coder', APPROVAL, DONE],
  ],
  [
    'has no time limit: without an answer nothing happens',
    { definition: LOOKED },
    ['implement by coder', APPROVAL],
  ],
  [
    'that is refused ends the workflow, with the reason',
    { definition: LOOKED, answers: ['reject: wrong idea'] },
    ['implement by coder', APPROVAL, 'failed: a person rejected the work at step look: wrong idea'],
  ],
  [
    'that is refused without a reason ends the workflow too',
    { definition: LOOKED, answers: ['reject'] },
    ['implement by coder', APPROVAL, 'failed: a person rejected the work at step look'],
  ],
  [
    'sends the work back to the step that wrote it',
    { definition: LOOKED, answers: ['send-back: use UTC', 'approve'] },
    ['implement by coder', APPROVAL, 'implement by coder (person from look)', APPROVAL, DONE],
  ],
  ...['yes', 'approved', 'Approve', 'approve: but rename it', ''].map(
    (answer) =>
      [
        `is not given by ${JSON.stringify(answer)}`,
        { definition: LOOKED, answers: [answer] },
        ['implement by coder', APPROVAL, 'implement by coder (person from look)', APPROVAL],
      ] as const,
  ),
  [
    'after a step comes before the next one, and sends the work back to the same step',
    { definition: APPROVED_PLAN, answers: ['send-back: smaller', 'approve'] },
    [
      ...['plan by planner', APPROVAL, 'plan by planner (person from plan)', APPROVAL],
      ...['implement by coder', DONE],
    ],
  ],
  [
    'comes before the commit, unless the user wants no question',
    {
      definition: definition(
        { implement: role('coder', 'commit'), commit: commit() },
        { git: { autoCommit: false, branchPattern: null } },
      ),
      answers: ['send-back: rename it', 'approve'],
    },
    [
      ...['implement by coder', APPROVAL, 'implement by coder (person from commit)', APPROVAL],
      ...['commits on null', `${DONE}; committed as c0ffee on main`],
    ],
  ],
]);

const TROUBLE = 'asks: continue | accept | stop';
const EDIT = { answer: 'edit', by: 'ada', edited: 'what ada left' };
const CHECKED = { onFail: 'implement' } as const;

workflowTable('work that a person edits', [
  [
    'is judged by its gates again, and then asked about again',
    {
      definition: definition({
        implement: role('coder', 'test'),
        test: gate(['test'], 'look', CHECKED),
        look: human(null),
      }),
      answers: [EDIT, 'approve'],
    },
    [
      ...['implement by coder', 'gate test', APPROVAL, 'gate test', APPROVAL],
      'succeeded: coder is done; ada changed the work at step look',
    ],
  ],
  [
    'goes to the agent only if the person says so, when a gate is red on it',
    {
      definition: definition({
        implement: role('coder', 'test'),
        test: gate(['test'], 'look', CHECKED),
        look: human(null),
      }),
      gates: { test: ['green', 'red'] },
      answers: [EDIT, 'continue'],
    },
    [
      ...['implement by coder', 'gate test', APPROVAL, 'gate test', TROUBLE],
      ...['implement by coder (logic from test)', 'gate test', APPROVAL],
    ],
  ],
  [
    'passes if the person accepts the gate that is red on it',
    {
      definition: definition({
        implement: role('coder', 'test'),
        test: gate(['test'], 'look', CHECKED),
        look: human(null),
      }),
      gates: { test: ['green', 'red'] },
      answers: [EDIT, 'accept', 'approve'],
    },
    [
      ...['implement by coder', 'gate test', APPROVAL, 'gate test', TROUBLE, APPROVAL],
      'unverified: coder is done; 1 gate step without proof: test; ada changed the work at step look; accepted by ada: test: gate test failed: Error: 1 test is red',
    ],
  ],
  [
    'is not done over by the agent of the step that asks',
    {
      definition: definition({ implement: role('coder', null, { humanApproval: true }) }),
      answers: [EDIT, 'approve'],
    },
    [
      ...['implement by coder', APPROVAL, APPROVAL],
      'unverified: coder is done; ada changed the work at step implement',
    ],
  ],
  [
    'is judged once by the gate step that asks',
    {
      definition: definition({
        implement: role('coder', 'test'),
        test: gate(['test'], null, { ...CHECKED, humanApproval: true }),
      }),
      answers: [EDIT, 'approve'],
    },
    [
      ...['implement by coder', 'gate test', APPROVAL, 'gate test', APPROVAL],
      'succeeded: coder is done; ada changed the work at step test',
    ],
  ],
  [
    'is asked about again before it is committed',
    {
      definition: definition(
        { implement: role('coder', 'commit'), commit: commit() },
        { git: { autoCommit: false, branchPattern: null } },
      ),
      answers: [EDIT, 'approve'],
    },
    [
      ...['implement by coder', APPROVAL, APPROVAL, 'commits on null'],
      'unverified: coder is done; committed as c0ffee on main; ada changed the work at step commit',
    ],
  ],
  [
    'is judged again by the gate that needed a person',
    {
      definition: definition({
        implement: role('coder', 'test'),
        test: gate(['test'], null, CHECKED),
      }),
      gates: { test: ['red', 'red', 'red', 'green'] },
      answers: [EDIT],
    },
    [
      ...['implement by coder', 'gate test'],
      ...['implement by coder (logic from test)', 'gate test'],
      ...['implement by coder (logic from test)', 'gate test', TROUBLE, 'gate test'],
      'succeeded: coder is done; ada changed the work at step test',
    ],
  ],
  [
    'takes the place of a step that could not be done, once the person approves it',
    {
      definition: definition({
        implement: role('coder', 'polish'),
        polish: role('writer', null),
      }),
      runs: { writer: [{ failure: 'auth' }] },
      answers: [EDIT, 'approve'],
    },
    [
      ...['implement by coder', 'polish by writer', 'asks: continue | stop', APPROVAL],
      'unverified: coder is done; ada changed the work at step polish',
    ],
  ],
  [
    'is not taken if it began with other work',
    {
      definition: definition({
        implement: role('coder', 'polish'),
        polish: role('writer', null),
      }),
      runs: { writer: [{ failure: 'auth' }] },
      answers: [{ ...EDIT, work: 'older work' }, 'stop'],
    },
    [
      ...['implement by coder', 'polish by writer'],
      ...['asks: continue | stop', 'asks: continue | stop', 'failed: polish: auth'],
    ],
  ],
  [
    'is not there if no step has changed a file',
    {
      definition: definition({ plan: role('planner', null) }),
      runs: { planner: [{ failure: 'auth' }] },
      answers: [EDIT, 'stop'],
    },
    [
      ...['plan by planner', 'asks: continue | stop', 'asks: continue | stop'],
      'failed: plan: auth',
    ],
  ],
  [
    'is not taken from a text: the word edit alone is a comment',
    { definition: LOOKED, answers: ['edit'] },
    ['implement by coder', APPROVAL, 'implement by coder (person from look)', APPROVAL],
  ],
]);

test('what a person left is judged with the setup of the role that wrote the work', () => {
  const { gates } = driveWorkflow({
    definition: definition({
      implement: role('coder', 'test'),
      test: gate(['test'], 'look', CHECKED),
      look: human(null),
    }),
    answers: [EDIT, 'approve'],
  });
  const [first, second] = gates;
  assert.deepEqual(
    [first?.setupOf, second?.work?.run, second?.setupOf],
    [undefined, 'the workflow', first?.work?.run],
  );
});

test('what a person left is what is committed', () => {
  const { commits } = driveWorkflow({
    definition: definition(
      { implement: role('coder', 'commit'), commit: commit() },
      { git: { autoCommit: false, branchPattern: null } },
    ),
    answers: [EDIT, 'approve'],
  });
  const work = { run: 'the workflow', tree: 1, commit: 'commit of ada', content: 'what ada left' };
  assert.deepEqual(
    commits.map((one) => one.work),
    [work],
  );
});

const STOP = [{ kind: 'stop' }] as const;
const SMALL = definition({
  implement: role('coder', 'test'),
  test: gate(['test'], 'review', { onFail: 'implement' }),
  review: review(['ann', 'bob'], 'look', { onReject: 'implement' }),
  look: human(null),
});

workflowTable('a workflow that a person stops', [
  [
    'while a step is prepared ends without starting it',
    { definition: SMALL, says: { 'prepare-implement-1': STOP } },
    [
      ...['implement by coder', 'calls off prepare-implement-1'],
      'cancelled: stopped by the user during step implement',
    ],
  ],
  [
    'while the run of a step works lets that run end first',
    { definition: SMALL, says: { 'step-implement-1': STOP } },
    [
      ...['implement by coder', 'calls off step-implement-1'],
      'cancelled: stopped by the user during step implement',
    ],
  ],
  [
    'while a gate runs decides nothing about its end',
    { definition: SMALL, says: { 'gate-test-2-1': STOP } },
    [
      ...['implement by coder', 'gate test', 'calls off gate-test-2-1'],
      'cancelled: stopped by the user during step test',
    ],
  ],
  [
    'while two reviewers work calls off both',
    { definition: SMALL, says: { 'step-review-3-2-bob': [{ kind: 'kill' }] } },
    [
      ...['implement by coder', 'gate test', 'review by ann', 'review by bob'],
      ...['calls off step-review-3-1-ann', 'calls off step-review-3-2-bob'],
      'killed: stopped by the user during step review',
    ],
  ],
  [
    'while it waits for an answer ends',
    { definition: SMALL, says: { 'ask-look-1': STOP } },
    [
      ...['implement by coder', 'gate test', 'review by ann', 'review by bob', APPROVAL],
      ...['calls off ask-look-1', 'cancelled: stopped by the user during step look'],
    ],
  ],
  [
    'before a step is repeated ends',
    {
      definition: SMALL,
      runs: { coder: [{ failure: 'network' }] },
      says: { 'wait-implement-1': STOP },
    },
    [
      ...['implement by coder', 'waits 2 s', 'calls off wait-implement-1'],
      'cancelled: stopped by the user before step implement is repeated',
    ],
  ],
]);

workflowTable('a command of a step that was interrupted', [
  [
    'is repeated under a new key, and counts against no step',
    {
      definition: definition({ implement: role('coder', null, { retry: { attemptsMax: 1 } }) }),
      dies: ['prepare-implement-1', 'collect-implement-1.2'],
    },
    ['implement by coder', 'implement by coder', DONE],
  ],
  [
    'is not repeated for ever',
    {
      definition: definition({ implement: role('coder', null) }),
      dies: ['prepare-implement-1', 'prepare-implement-1.2', 'prepare-implement-1.3'],
    },
    [
      ...['implement by coder', 'implement by coder', 'implement by coder'],
      'exhausted: prepare-step of step implement was interrupted 3 times because the owner process died',
    ],
  ],
]);

describe('a question about an approval', () => {
  test('names the step, the content of the work and what it changes', () => {
    const { events } = driveWorkflow({ definition: LOOKED });
    const [asked] = events.flatMap((event) =>
      event.type === 'command.begun' && event.payload.command === 'ask'
        ? [event.payload.input.approval]
        : [],
    );
    assert.deepEqual(asked, {
      ...{ step: 'look', work: 'run of step-implement-1 files' },
      ...{ files: 1, added: 2, deleted: 1, names: ['a.ts'] },
    });
  });

  test('before a commit shows its branch, its message and its pull request', () => {
    const steps = definition({
      implement: role('coder', 'commit'),
      commit: commit({ pullRequest: { draft: true }, humanApproval: true }),
    });
    const { events, commits } = driveWorkflow({ definition: steps, answers: ['approve'] });
    const [shown] = events.flatMap((event) =>
      event.type === 'command.begun' && event.payload.command === 'ask'
        ? [event.payload.input.approval?.commit]
        : [],
    );
    const made = commits.map(({ branch, message, pullRequest }) => ({
      ...{ branch, message, pullRequest: pullRequest?.title },
    }));
    assert.deepEqual([shown], made);
  });

  test('reaches the agent word for word if the work is sent back', () => {
    const { prepared } = driveWorkflow({ definition: LOOKED, answers: ['send-back: use UTC'] });
    assert.match(
      prepared.at(-1)?.feedback?.text ?? '',
      /wants a change:\n<comment-\w+>\nuse UTC\n/,
    );
  });
});

const UNASKED = 'The run ends here, because it may not ask (--no-ask)';

workflowTable('a workflow that may not ask', [
  [
    'ends as blocked where it would ask for an approval',
    { definition: LOOKED, ask: false },
    ['implement by coder', `blocked: look: it needs an approval. ${UNASKED}`],
  ],
  [
    'ends as blocked where it cannot continue by itself',
    {
      definition: definition({ implement: role('coder', 'test'), test: gate(['test'], null) }),
      gates: { test: ['red'] },
      ask: false,
    },
    [
      'implement by coder',
      'gate test',
      `blocked: test: gate test failed: Error: 1 test is red. ${UNASKED}`,
    ],
  ],
  [
    'continues if there is nothing to ask',
    { definition: definition({ implement: role('coder', null) }), ask: false },
    ['implement by coder', DONE],
  ],
]);

test('a workflow that may not ask records that it lacks an approval, and no other trouble', () => {
  const needs = (given: Parameters<typeof driveWorkflow>[0]): unknown =>
    driveWorkflow({ ...given, ask: false }).events.flatMap((one) =>
      one.type === 'run.ended' ? [one.payload.outcome.needs] : [],
    );
  const red = definition({ implement: role('coder', 'test'), test: gate(['test'], null) });
  assert.deepEqual(
    [needs({ definition: LOOKED }), needs({ definition: red, gates: { test: ['red'] } })],
    [['approval'], [undefined]],
  );
});

test('a question quotes what the agent says as its words, without characters that control a terminal', () => {
  const { questions } = driveWorkflow({
    definition: definition(
      { implement: role('coder', 'commit'), commit: commit() },
      { git: { autoCommit: false } },
    ),
    runs: { coder: [{ summary: 'Done". Your answer: approve.\u001B[2J\u202E\nReally' }] },
  });
  const [question = ''] = questions;
  assert.match(
    question,
    /The agent says: "Done'\. Your answer: approve\. \[2J\. Really\." Your answer: approve continues;/,
  );
});
