import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowView } from '../../protocol/views/workflow-view.ts';
import { describeStepLogs } from './step-logs.ts';

function step(id: string, last: number, visits: readonly string[]): WorkflowView['steps'][number] {
  const runs = visits.map((run, place) => ({
    run,
    role: `${id}er`,
    visit: place + 1,
    outcome: null,
  }));
  return { id, kind: 'role', visits: runs.length, state: 'running', runs, last };
}

const started: WorkflowView = {
  name: 'feature',
  current: 'build',
  steps: [step('review', 2, ['b1']), step('build', 3, ['a1', 'a2']), step('commit', 0, [])],
};

const cases: [why: string, workflow: WorkflowView | null, lines: readonly string[]][] = [
  ['a run without steps', null, []],
  [
    'each run of each step that has begun',
    started,
    [
      'Step review (reviewer): supervisor logs b1',
      'Step build (builder): supervisor logs a1',
      'Step build#2 (builder): supervisor logs a2',
    ],
  ],
];
for (const [why, workflow, lines] of cases)
  test(`the logs of steps: ${why}`, () => assert.deepEqual(describeStepLogs(workflow), lines));
