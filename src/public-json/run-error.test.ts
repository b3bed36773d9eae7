import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordedRun } from '../../test/support/run-history-fixture.ts';
import {
  attempt,
  begins,
  ended,
  ends,
  historyOfFacts,
  submitted,
} from '../../test/support/run-history-fixture.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { runError } from './run-error.ts';

type Fields = Readonly<Record<string, unknown>>;

const failed = (reason: string, more: Fields = {}): Fields => ({
  kind: 'failed',
  reason,
  message: `it is ${reason}`,
  ...more,
});
const completed: Fields = { kind: 'completed', summary: 'done' };

/** A run with these attempts, each with the outcomes of its gates. */
function codeOf(
  kind: RunOutcome['kind'],
  attempts: readonly (readonly [outcome: Fields, ...gates: Fields[]])[],
  before: readonly RecordedRun[] = [],
): string | null {
  const facts = attempts.flatMap(([outcome, ...gates], index): RecordedRun[] => {
    const number = index + 1;
    return [
      [number, attempt(number, 'main')],
      [number, ends(`attempt-${number}`, outcome)],
      ...gates.flatMap((gate, place): RecordedRun[] => {
        const key = `gate-${number}-${place}`;
        return [
          [number, begins(key, 'gate', { name: 'test' })],
          [number, ends(key, { name: 'test', ...gate })],
        ];
      }),
    ];
  });
  const all: RecordedRun[] = [[0, submitted()], ...before, ...facts, [9, ended(kind, 'why')]];
  return runError(historyOfFacts(all), null)?.code ?? null;
}

const RED: Fields = { kind: 'failed', exit: 1, tail: '' };
const UNABLE: Fields = { kind: 'unable', why: 'not found' };

describe('the code of a run that did not end well', () => {
  const rows: [why: string, actual: string | null, expected: string | null][] = [
    ['is null if it did', codeOf('succeeded', [[completed]]), null],
    ['is null if nothing was proven', codeOf('unverified', [[completed]]), null],
    ['is the reason of its attempt', codeOf('failed', [[failed('crashed')]]), 'attempt.crashed'],
    [
      'is the refusal because of which its agent was not started',
      codeOf('refused', [[failed('start_refused', { refusal: 'agent.no-key' })]]),
      'agent.no-key',
    ],
    [
      'is the reason if an older owner stored no refusal',
      codeOf('failed', [[failed('start_refused')]]),
      'attempt.start-refused',
    ],
    ['is that of a red gate', codeOf('failed', [[completed, RED]]), 'gate.failed'],
    [
      'is that of a gate that could not run',
      codeOf('failed', [[completed, UNABLE]]),
      'gate.unable',
    ],
    [
      'is no advisory gate',
      codeOf('failed', [[failed('deadline'), { ...RED, warns: true }]]),
      'attempt.deadline',
    ],
    [
      'is the common reason of all attempts',
      codeOf('exhausted', [[failed('rate_limited')], [failed('rate_limited')]]),
      'attempt.rate-limited',
    ],
    [
      'is the general one if the attempts have several reasons',
      codeOf('exhausted', [[failed('rate_limited')], [failed('auth')]]),
      'run.exhausted',
    ],
    [
      'is that of the last attempt if the run failed because of it',
      codeOf('failed', [[failed('rate_limited')], [failed('bad_prompt')]]),
      'attempt.bad-prompt',
    ],
    [
      'is that of the setup if it failed before the first attempt',
      codeOf(
        'blocked',
        [],
        [
          [0, begins('setup-1', 'setup')],
          [0, ends('setup-1', { kind: 'failed', message: 'it is red', tail: '' })],
        ],
      ),
      'setup.failed',
    ],
    ['is general if nothing says what blocks the run', codeOf('blocked', []), 'run.blocked'],
    [
      'is a missing key if the last agent could not start without it',
      codeOf('blocked', [[failed('crashed', { failure: {} })], [failed('keys_missing')]]),
      'agent.keys-missing',
    ],
    ['is general if the run was refused before', codeOf('refused', []), 'run.refused'],
    [
      'is that of a gate that can not run on the base',
      codeOf(
        'refused',
        [],
        [
          [0, begins('baseline-1', 'baseline', { name: 'test' })],
          [0, ends('baseline-1', { outcome: { ...UNABLE, name: 'test' }, how: 'run' })],
        ],
      ),
      'gate.unable',
    ],
    ['is that of a stop', codeOf('cancelled', [[failed('crashed')]]), 'run.cancelled'],
    ['is that of a kill', codeOf('killed', [[failed('crashed')]]), 'run.killed'],
  ];
  for (const [why, actual, expected] of rows) test(why, () => assert.equal(actual, expected));
});

/** A workflow with a run of a step, which ends in second 2, and then a gate, which ends in the given second. */
function workflowCode(
  outcome: RunOutcome,
  gate: readonly [second: number, end: Fields],
  step: readonly RecordedRun[] = [],
): string | null {
  const [second, end] = gate;
  const child = historyOfFacts([[0, submitted()], ...step, [2, ended('failed', 'why')]]);
  const history = historyOfFacts([
    [0, submitted('do it', { program: 'workflow' })],
    [1, begins('gate-check-1-1', 'gate', { name: 'test' })],
    ...(second < 2 ? [[second, ends('gate-check-1-1', { name: 'test', ...end })] as const] : []),
    [1, begins('run-a-1', 'run', { run: child.id, submission: { task: 'a' } })],
    [2, ends('run-a-1', { run: child.id, outcome: { kind: 'failed', reason: 'why' } })],
    ...(second < 2 ? [] : [[second, ends('gate-check-1-1', { name: 'test', ...end })] as const]),
    [9, { type: 'run.ended', payload: { outcome } }],
  ]);
  return runError(history, null, [child])?.code ?? null;
}

describe('the code of a workflow that did not end well', () => {
  const blocked: RunOutcome = { kind: 'blocked', reason: 'why' };
  const crashed: RecordedRun[] = [
    [1, attempt(1, 'main')],
    [1, ends('attempt-1', failed('crashed'))],
  ];
  const rows: [why: string, actual: string | null, expected: string | null][] = [
    ['is null if it did', workflowCode({ kind: 'succeeded', reason: '' }, [3, RED]), null],
    [
      'is an approval that it may not ask for',
      workflowCode({ ...blocked, needs: 'approval' }, [3, RED], crashed),
      'approval.missing',
    ],
    ['is a gate that was red at the end', workflowCode(blocked, [3, RED], crashed), 'gate.failed'],
    ['is a gate that could not run', workflowCode(blocked, [3, UNABLE]), 'gate.unable'],
    [
      'is no gate that only warns',
      workflowCode(blocked, [3, { ...RED, warns: true }], crashed),
      'attempt.crashed',
    ],
    [
      'is that of the last run of a step if it ended after the gate',
      workflowCode(blocked, [1, RED], crashed),
      'attempt.crashed',
    ],
    [
      'is that of the workflow if the run of the step has no precise one',
      workflowCode(blocked, [1, RED]),
      'run.blocked',
    ],
    [
      'is that of a stop',
      workflowCode({ kind: 'cancelled', reason: '' }, [3, RED], crashed),
      'run.cancelled',
    ],
  ];
  for (const [why, actual, expected] of rows) test(why, () => assert.equal(actual, expected));
});
