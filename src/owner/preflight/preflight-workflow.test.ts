import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  commit,
  definition,
  gate,
  human,
  review,
  role,
  workflowSubmission,
} from '../../../test/support/workflow-fixture.ts';
import { describeSteps } from './preflight-workflow.ts';

test('each step is described with its agents, its gates, or the branch that it would make', () => {
  const steps = definition({
    implement: role('coder', 'check'),
    check: gate(['test', 'lint'], 'review'),
    review: review(['ann', 'bob'], 'approve'),
    approve: human('commit'),
    commit: commit({ pullRequest: { draft: true } }),
  });
  const submission = workflowSubmission(steps, 'Add a date parser');
  const { taskId } = submission.settings.workflow;
  assert.deepEqual(describeSteps(submission), [
    ['implement', 'role coder by a'],
    ['check', 'gates: test, lint'],
    ['review', 'role ann by a; role bob by a'],
    ['approve', 'waits for your approval'],
    [
      'commit',
      `commits on the new branch ai/${taskId}-add-a-date-parser, and opens a pull request`,
    ],
  ]);
});
