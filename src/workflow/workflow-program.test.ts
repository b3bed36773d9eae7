/** Workflows from the first step to the outcome. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { driveWorkflow } from '../../test/support/drive-workflow.ts';
import {
  command,
  commit,
  definition,
  gate,
  human,
  review,
  role,
} from '../../test/support/workflow-fixture.ts';
import { workflowTable } from '../../test/support/workflow-table.ts';

const SMALL = definition({
  plan: role('planner', 'implement'),
  implement: role('coder', 'test'),
  test: gate(['test'], 'review', { onFail: 'implement' }),
  review: review(['ann', 'bob'], 'commit', { onReject: 'implement' }),
  commit: commit(),
});
const COMMITTED = 'committed as c0ffee on ai/t7-add-a-date-parser';

workflowTable('a workflow', [
  [
    'goes from step to step and ends with a commit',
    { definition: SMALL },
    [
      'plan by planner',
      'implement by coder',
      'gate test',
      'review by ann',
      'review by bob',
      'commits on ai/t7-add-a-date-parser',
      `succeeded: coder is done; ${COMMITTED}`,
    ],
  ],
  [
    'waits for a person and runs commands, which prove nothing',
    {
      definition: definition({
        format: command(['make', 'format'], 'look'),
        look: human('implement'),
        implement: role('coder', null),
      }),
      answers: ['approve'],
    },
    [
      'gate format',
      'asks: approve | reject | send-back',
      'implement by coder',
      'unverified: coder is done',
    ],
  ],
  [
    'without a gate is unverified',
    { definition: definition({ implement: role('coder', null) }) },
    ['implement by coder', 'unverified: coder is done'],
  ],
  [
    'with a gate that only warns is unverified',
    {
      definition: definition({
        implement: role('coder', 'test'),
        test: gate([{ name: 'test', command: ['t'], timeoutMs: 1, warns: true }], null),
      }),
      gates: { test: ['red'] },
    },
    ['implement by coder', 'gate test', 'unverified: coder is done'],
  ],
  [
    'is verified by the gates before its commit',
    {
      definition: definition({
        implement: role('coder', 'commit'),
        commit: commit({ before: [{ name: 'lint', command: ['l'], timeoutMs: 1 }] }),
      }),
    },
    [
      'implement by coder',
      'gate lint',
      'commits on ai/t7-add-a-date-parser',
      `succeeded: coder is done; ${COMMITTED}`,
    ],
  ],
  [
    'that changed nothing commits nothing',
    {
      definition: definition({ plan: role('planner', 'commit'), commit: commit() }),
    },
    ['plan by planner', 'unverified: nothing was changed, so nothing was committed'],
  ],
  [
    'runs a gate again before it ends, if the work has changed since',
    {
      definition: definition({
        implement: role('coder', 'unit'),
        unit: gate(['unit'], 'write-tests', { onFail: 'implement' }),
        'write-tests': role('tester', 'whole'),
        whole: gate(['whole'], null, { onFail: 'implement' }),
      }),
    },
    [
      'implement by coder',
      'gate unit',
      'write-tests by tester',
      'gate whole',
      'gate unit',
      'succeeded: tester is done',
    ],
  ],
  [
    'begins no more steps than its limit',
    {
      definition: definition(
        { implement: role('coder', 'test'), test: gate(['test'], null, { onFail: 'implement' }) },
        { limits: { stepsMax: 3 } },
      ),
      gates: { test: ['red', 'red'] },
    },
    [
      'implement by coder',
      'gate test',
      'implement by coder (logic from test)',
      'exhausted: the workflow may begin 3 steps, and the next would be test',
    ],
  ],
  [
    'that names an unknown step fails',
    { definition: definition({ implement: role('coder', 'tset') }) },
    ['implement by coder', 'failed: the workflow has no step tset'],
  ],
]);

describe('the work of a workflow', () => {
  test('moves only by steps that write, and all steps have the same base', () => {
    const { prepared, gates, commits } = driveWorkflow({ definition: SMALL });
    const base = {
      ...{ run: 'run of step-plan-1', tree: 1, commit: 'base', content: 'base' },
    };
    const work = {
      ...{ run: 'run of step-implement-2', tree: 1, commit: 'commit of run of step-implement-2' },
      content: 'run of step-implement-2 files',
    };
    const seen = prepared.map((step) => step.work);
    assert.deepEqual(seen, [null, base, work, work]);
    assert.deepEqual(
      [...gates, ...commits].map((one) => one.work),
      [work, work],
    );
  });

  test('names the gate steps that follow to the step that writes, so that it continues with a red one', () => {
    const { prepared } = driveWorkflow({ definition: SMALL });
    assert.deepEqual(
      prepared.map(({ step, gatesOf }) => [step, gatesOf]),
      [
        ['plan', []],
        ['implement', ['test']],
        ['review', []],
        ['review', []],
      ],
    );
  });

  test('is committed under a message with the task, and a title from an output', () => {
    const { commits } = driveWorkflow({
      definition: definition({
        plan: role('planner', 'implement', { outputs: { pr_title: 'phases.0.title' } }),
        implement: role('coder', 'commit', { outputs: { what: 'summary' } }),
        commit: commit({
          pullRequest: { draft: true },
          config: { body: '${implement.what} for ${task_id} (${plan.pr_title}, ${unknown})' },
        }),
      }),
      runs: { planner: [{ answer: { status: 'COMPLETE', phases: [{ title: 'Parse dates' }] } }] },
    });
    const [{ branch, message, pullRequest } = { branch: '', message: '', pullRequest: null }] =
      commits;
    assert.deepEqual(
      { branch, message, pullRequest },
      {
        branch: 'ai/t7-add-a-date-parser',
        message: 'Add a date parser\n\ncoder is done',
        pullRequest: {
          title: 'Parse dates',
          body: 'coder is done for t7 (Parse dates, ${unknown})',
          draft: true,
        },
      },
    );
  });
});
