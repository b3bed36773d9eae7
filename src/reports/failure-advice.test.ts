import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordedRun } from '../../test/support/run-history-fixture.ts';
import {
  attempt,
  ended,
  ends,
  forked,
  historyOfFacts,
  historyOfFork,
  submitted,
} from '../../test/support/run-history-fixture.ts';
import type { FailureReason } from '../protocol/failure-reason.ts';
import { adviceFor } from './advice.ts';
import { adviceAfterFailure } from './failure-advice.ts';

const RESUME = 'supervisor resume 0123456789';
const RED = { kind: 'failed', name: 'test', exit: 1, tail: '1 failed' };
const OTHER_GATE =
  'If the gate is wrong, run the task again with another one: supervisor run "…" --gate "…"';
const STUCK = `Say what to do differently with: ${RESUME} -m "…". Or let another agent continue with: ${RESUME} --agent AGENT. ${OTHER_GATE}`;

function failedRun(
  reason: FailureReason,
  deadlineMs: number | null = null,
  failure: object = {},
): RecordedRun[] {
  return [
    [0, submitted()],
    [0, attempt(1, 'main', { kind: 'first' }, 'main', { deadlineMs })],
    [5, ends('attempt-1', { kind: 'failed', reason, message: 'why', failure })],
    [5, ended('failed', 'main: why')],
  ];
}

function redRun(gate: Parameters<typeof ends>[1], reason: string): RecordedRun[] {
  return [
    [0, submitted()],
    [0, attempt(1, 'main', { kind: 'first' })],
    [5, ends('attempt-1', { kind: 'completed', summary: 'done' })],
    [6, ends('gate-1-0', gate)],
    [6, ended('failed', reason)],
  ];
}

describe('the advice after a failure names the option that changes its cause', () => {
  const rows: [why: string, facts: RecordedRun[], advice: string][] = [
    [
      'a deadline: twice the time',
      failedRun('deadline', 1_800_000),
      `Read its output with: supervisor logs 0123456789. Give it more time with: ${RESUME} --deadline 1h`,
    ],
    [
      'a model that does not exist: another one',
      failedRun('model_not_found'),
      `Name a model that the provider of main offers with: ${RESUME} --model MODEL`,
    ],
    [
      'an unknown price: the command that sets it',
      failedRun('price_unknown', null, { model: 'house-model' }),
      `Set the price of the model with: supervisor prices set house-model --input USD --output USD. Then: ${RESUME}`,
    ],
    [
      'a question: its answer',
      failedRun('needs_input'),
      `Answer the question of the agent with: ${RESUME} -m "…"`,
    ],
    [
      'a crash may not happen again',
      failedRun('crashed'),
      `Read its output with: supervisor logs 0123456789. Continue with: ${RESUME}`,
    ],
    [
      'a red gate: the agent gets another attempt',
      redRun(RED, 'gate test failed: 1 failed'),
      `Read the output of gate test with: supervisor logs 0123456789. Continue with: ${RESUME}`,
    ],
    [
      'a red gate without progress: another text or another agent',
      redRun(RED, 'no progress: the last 2 attempts changed no file; gate test failed: 1 failed'),
      `Read the output of gate test with: supervisor logs 0123456789. ${STUCK}`,
    ],
    [
      'a gate that could not run: another gate, as a run keeps its own',
      redRun({ kind: 'unable', name: 'test', why: 'npm is not there' }, 'gate test could not run'),
      `If only this machine lacked something, install it. Then: ${RESUME}. ${OTHER_GATE}`,
    ],
  ];
  for (const [why, facts, advice] of rows)
    test(why, () => assert.equal(adviceAfterFailure(historyOfFacts(facts)), advice));

  test('a red gate of a run that was resumed before: a bare resume is not advised again', () => {
    const before = redRun(RED, 'gate test failed: 1 failed');
    const history = historyOfFork(before.slice(0, 1), '0123456789', [
      [9, forked()],
      ...before.slice(1),
    ]);
    assert.match(adviceAfterFailure(history), / -m "…"\. Or let another agent continue with: /);
  });

  test('a run that may not ask for its approval: the list of requests, as the resumed run has another id', () => {
    const outcome = { kind: 'blocked', reason: 'it may not ask', needs: 'approval' } as const;
    const history = historyOfFacts([
      [0, submitted()],
      [6, { type: 'run.ended', payload: { outcome } }],
    ]);
    assert.equal(
      adviceFor(history),
      `Let the run ask you with: ${RESUME}. Then see what it asks, and how to decide, with: supervisor approvals`,
    );
  });
});
