import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewRunEvent } from '../event.ts';
import { EVENT_VERSION } from '../event.ts';
import { stepOfKey } from '../step-key.ts';
import { runStream } from '../streams.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import {
  definition,
  gate as gateOf,
  human,
  review,
  role,
} from '../../../test/support/workflow-fixture.ts';
import type { WorkflowView } from './workflow-view.ts';
import { describeStep, foldWorkflowView, newWorkflowView } from './workflow-view.ts';

const DEFINITION = definition({
  implement: role('implementer', 'check'),
  check: gateOf([], 'review'),
  review: review(['reviewer', 'auditor'], 'approve'),
  approve: human(null),
});

function begins(key: string, command: string, input: object = {}): NewRunEvent {
  return runEvent({
    type: 'command.begun',
    payload: { key, command, input: { ...input }, limits: [] },
  });
}

function ends(key: string, command: string, result: object): NewRunEvent {
  const end = { kind: 'done', result: { ...result } };
  return runEvent({ type: 'command.ended', payload: { key, command, end } });
}

function starts(key: string, run: string, role: string): NewRunEvent {
  return begins(key, 'run', { run, submission: { settings: { brief: { role } } } });
}

/** The commands of one visit of a step by a role. */
function visit(key: string, run: string, role: string, status: string): readonly NewRunEvent[] {
  const outcome = { kind: 'unverified', reason: '' };
  return [
    begins(`prepare-${key}`, 'prepare-step'),
    ends(`prepare-${key}`, 'prepare-step', { kind: 'prepared' }),
    starts(`step-${key}`, run, role),
    ends(`step-${key}`, 'run', { run, outcome }),
    begins(`collect-${key}`, 'collect-step'),
    ends(`collect-${key}`, 'collect-step', { answer: { status }, failure: null }),
  ];
}

function gate(key: string, kind: 'passed' | 'failed'): readonly NewRunEvent[] {
  return [begins(key, 'gate'), ends(key, 'gate', { kind, name: 'test' })];
}

function folded(events: readonly NewRunEvent[]): WorkflowView {
  const first = newWorkflowView({ definition: DEFINITION, taskId: 't1', roles: {} });
  return events.reduce<WorkflowView>((view, event, index) => {
    const seq = index + 1;
    const head = { id: seq, stream: runStream('0123456789'), seq, v: EVENT_VERSION, at: seq };
    return foldWorkflowView(view, { ...head, ...event });
  }, first);
}

const IMPLEMENTED = visit('implement-1', 'r1', 'implementer', 'SUCCESS');
const FIXED = visit('implement-3', 'r2', 'implementer', 'SUCCESS');

describe('the steps of a workflow', () => {
  const cases: [
    why: string,
    events: readonly NewRunEvent[],
    states: string,
    shown: string | undefined,
  ][] = [
    ['are pending at first', [], 'pending pending pending pending', undefined],
    [
      'are running while their run runs',
      IMPLEMENTED.slice(0, 3),
      'running pending pending pending',
      'step implement (1 of 4)',
    ],
    [
      'have failed if their gate is red',
      [...IMPLEMENTED, ...gate('gate-check-2-1', 'failed')],
      'passed failed pending pending',
      'step check (2 of 4)',
    ],
    [
      'have failed if one of their gates is red, whatever the next one says',
      [...IMPLEMENTED, ...gate('gate-check-2-1', 'failed'), ...gate('gate-check-2-2', 'passed')],
      'passed failed pending pending',
      'step check (2 of 4)',
    ],
    [
      'are counted each time that they begin',
      [...IMPLEMENTED, ...gate('gate-check-2-1', 'failed'), ...FIXED],
      'passed failed pending pending',
      'step implement#2 (1 of 4)',
    ],
    [
      'are rejected if one reviewer rejects, in any order of answers',
      [
        ...visit('review-5-1-reviewer', 'r3', 'reviewer', 'CHANGES_REQUESTED'),
        ...visit('review-5-2-auditor', 'r4', 'auditor', 'APPROVED'),
      ],
      'pending pending rejected pending',
      'step review (3 of 4)',
    ],
    [
      'are judged again in the next round',
      [
        ...visit('review-5-1-reviewer', 'r3', 'reviewer', 'CHANGES_REQUESTED'),
        ...visit('review-8-1-reviewer', 'r5', 'reviewer', 'APPROVED'),
      ],
      'pending pending passed pending',
      'step review#2 (3 of 4)',
    ],
    [
      'ask a person',
      [begins('ask-approve-1', 'ask', { question: 'Approve?' })],
      'pending pending pending asking',
      'step approve (4 of 4)',
    ],
    [
      'are stopped with their run',
      [
        begins('ask-approve-1', 'ask'),
        { type: 'run.ended', payload: { outcome: { kind: 'cancelled', reason: '' } } },
      ],
      'pending pending pending stopped',
      'step approve (4 of 4)',
    ],
    [
      'have passed when a person approved',
      [begins('ask-approve-1', 'ask'), ends('ask-approve-1', 'ask', { answer: 'approve' })],
      'pending pending pending passed',
      'step approve (4 of 4)',
    ],
    [
      'are rejected by the words of a person',
      [
        begins('ask-approve-1', 'ask'),
        ends('ask-approve-1', 'ask', { answer: 'send-back: too slow' }),
      ],
      'pending pending pending rejected',
      'step approve (4 of 4)',
    ],
  ];
  for (const [why, events, states, shown] of cases)
    test(why, () => {
      const view = folded(events);
      assert.equal(view.steps.map(({ state }) => state).join(' '), states);
      assert.equal(describeStep(view), shown);
    });

  test('list their runs, with the role, the visit and the outcome of each', () => {
    const { steps } = folded([...IMPLEMENTED, ...FIXED.slice(0, 3)]);
    assert.deepEqual(steps[0]?.runs, [
      { run: 'r1', role: 'implementer', visit: 1, outcome: 'unverified' },
      { run: 'r2', role: 'implementer', visit: 2, outcome: null },
    ]);
  });
});

describe('the key of a command names its step', () => {
  const steps = ['test', 'test_2', 'Review All'];
  const cases: [key: string, expected: ReturnType<typeof stepOfKey>][] = [
    ['step-test-3', { step: 'test', number: 3 }],
    ['gate-test-3-1', { step: 'test', number: 3 }],
    ['gate-test-2-3-1', { step: 'test_2', number: 3 }],
    ['step-review-all-4-2-security', { step: 'Review All', number: 4 }],
    ['step-test-3.2', { step: 'test', number: 3 }],
    ['step-other-3', undefined],
    ['attempt-1', undefined],
  ];
  for (const [key, expected] of cases)
    test(key, () => assert.deepEqual(stepOfKey(key, steps), expected));
});
