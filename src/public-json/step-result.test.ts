import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedRun } from '../../test/support/run-history-fixture.ts';
import {
  attempt,
  begins,
  ended,
  ends,
  historyOfFacts,
  notes,
  submitted,
} from '../../test/support/run-history-fixture.ts';
import type { WorkflowView } from '../protocol/views/workflow-view.ts';
import type { RunHistory } from '../reports/runs/run-history.ts';
import { RunResult, runResult } from './run-result.ts';

/** A run of a step that costs so much and leaves a commit. */
function stepRun(id: string, costUsd: number): RunHistory {
  const usage = { inputTokens: 10, outputTokens: 5, costUsd };
  const kept = { kind: 'committed', root: '/home/me/app', base: 'b0', ref: `refs/${id}`, files: 1 };
  const history = historyOfFacts([
    [1, submitted()],
    [1, attempt(1, 'main')],
    [2, notes('attempt-1', kept)],
    [2, ends('attempt-1', { kind: 'completed', summary: `done by ${id}`, exit: 0, usage })],
    [2, ended('unverified', 'done')],
  ]);
  // The fixture gives each run the same id.
  const attempts = history.attempts.map((one) => ({ ...one, run: id }));
  return { ...history, id, attempts };
}

function child(id: string): RecordedRun[] {
  const key = `run-${id}-1`;
  const work = { run: id, files: 1 };
  const answer = id === 'implement' ? { files_modified: ['a.ts'] } : { issues: [] };
  const outcome = { kind: 'unverified', reason: '' };
  return [
    [1, begins(key, 'run', { run: id, submission: { task: id } })],
    [2, ends(key, { run: id, outcome })],
    [2, ends(`collect-step-${id}`, { answer, work, summary: '', base: null, failure: null })],
  ];
}

function gate(second: number, kind: 'passed' | 'failed'): RecordedRun[] {
  const key = `gate-check-${second}-1`;
  return [
    [second, begins(key, 'gate', { name: 'test' })],
    [second, ends(key, { name: 'test', kind, exit: 0, tail: '' })],
  ];
}

const commit = { kind: 'committed', branch: 'ai/7-sum', commit: 'c0ffee', pullRequest: null };
const workflow: WorkflowView = {
  name: 'mvp',
  current: 'check',
  steps: ['implement', 'review', 'check'].map((id) => ({
    ...{ id, kind: id === 'check' ? 'gate' : 'role', visits: 1, last: 1, state: 'passed' as const },
    runs: id === 'check' ? [] : [{ run: id, role: id, visit: 1, outcome: 'unverified' as const }],
  })),
};

const history = historyOfFacts([
  [0, submitted('add a sum', { program: 'workflow' })],
  ...child('implement'),
  ...gate(3, 'failed'),
  ...child('review'),
  ...gate(4, 'passed'),
  [5, begins('commit-work-1', 'commit-work')],
  [5, ends('commit-work-1', commit)],
  [6, ended('succeeded', 'done')],
]);
const context = {
  state: 'succeeded',
  exitCode: 0,
  answer: null,
  artifacts: [],
  files: [{ path: 'a.ts', added: 1, removed: 0 }],
  applied: null,
  workflow,
} as const;

test('the result of a workflow has its steps, its gates, its commit and the attempts of its steps', () => {
  const stepRuns = [stepRun('implement', 0.5), stepRun('review', 0.25)];
  const result = RunResult.parse(runResult(history, { ...context, stepRuns }));
  assert.deepEqual(
    {
      steps: result.steps.map(({ step, kind, state, visits, cost_usd: usd }) =>
        [step, kind, state, visits, usd].join(' '),
      ),
      workflow: result.workflow,
      gates: result.gates.map(({ name, state }) => `${name} ${state}`),
      commit: [result.commit, result.branch, result.pull_request],
      files: result.files,
      summary: result.summary,
      attempts: result.attempts.map(({ run_id: run, number }) => `${run} ${number}`),
      usage: result.usage,
      retries: [result.metadata.total_attempts, result.metadata.retry_count],
      workspace: result.workspace,
    },
    {
      steps: ['implement role passed 1 0.5', 'review role passed 1 0.25', 'check gate passed 1 '],
      workflow: 'mvp',
      gates: ['test passed'],
      commit: ['c0ffee', 'ai/7-sum', null],
      files: [{ path: 'a.ts', added: 1, removed: 0 }],
      summary: 'done by review',
      attempts: ['implement 1', 'review 1'],
      usage: {
        input_tokens: 20,
        output_tokens: 10,
        total_tokens: 30,
        cost_usd: 0.75,
        known_cost_usd: 0.75,
      },
      retries: [2, 0],
      workspace: { root: '/home/me/app', base: 'b0', branch: 'refs/implement' },
    },
  );
});

test('the runs that another workflow has paid for cost this one nothing', () => {
  const children = history.children.map((one) =>
    one.run === 'implement' ? { ...one, parent: 'abcdef0123' } : one,
  );
  const stepRuns = [stepRun('implement', 0.5), stepRun('review', 0.25)];
  const result = runResult({ ...history, children }, { ...context, stepRuns });
  assert.deepEqual(
    [result.usage.cost_usd, result.steps.map((step) => step.cost_usd)],
    [0.25, [null, 0.25, null]],
  );
});
