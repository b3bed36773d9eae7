import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { drivenTable } from '../../test/support/driven-table.ts';
import { done, driveAttempts, failed, settingsFor } from '../../test/support/drive-attempts.ts';
import { gated, red } from '../../test/support/gated-attempts.ts';
import type { RunMessage } from '../protocol/run-message.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';

const stopped: AttemptOutcome = { kind: 'stopped' };
const HOUR = 3_600_000;
const two = settingsFor(['a', 'b']);
const inS1 = { 'attempt-1': [{ kind: 'session', session: 's1' }] };
const asks = 'asks: You have had a in your terminal. What follows?';
const taken = { 'attempt-1': 'takeover' } as const;
const interrupt: RunMessage = {
  ...{ id: '0000000a', origin: 'person', verb: 'interrupt', text: 'look at b.ts' },
};

drivenTable('a person takes the agent over', [
  [
    'its turn is ended, its conversation opens for the person, and then they are asked',
    { settings: two, attempts: [stopped], says: taken, notes: inS1 },
    ['a', 'asks attempt-1', 'a taken over in s1', asks],
  ],
  [
    'they let it continue: in its conversation',
    {
      settings: two,
      attempts: [stopped, done],
      says: taken,
      notes: { ...inS1, 'attempt-2': [{ kind: 'session', session: 's1' }] },
      answers: ['continue'],
    },
    ['a', 'asks attempt-1', 'a taken over in s1', asks, 'a at 1 s in s1', 'unverified: done'],
  ],
  [
    'they hand the work to the gates',
    { settings: gated(['a']), attempts: [stopped], says: taken, answers: ['gates'] },
    [
      ...['a', 'asks attempt-1', 'a taken over', asks, 'gate test', 'gate lint'],
      'succeeded: a person worked on it and handed it to the gates',
    ],
  ],
  [
    'a gate that is red on their work goes back to the agent',
    {
      settings: gated(['a']),
      attempts: [stopped, done],
      gates: [red],
      says: taken,
      answers: ['gates'],
    },
    [
      ...['a', 'asks attempt-1', 'a taken over', asks, 'gate test'],
      ...['a at 1 s', 'gate test', 'gate lint', 'succeeded: done'],
    ],
  ],
  [
    'they stop the run',
    { settings: two, attempts: [stopped], says: taken, answers: ['stop'] },
    [
      ...['a', 'asks attempt-1', 'a taken over', asks],
      'cancelled: stopped by the user after a takeover, attempt 2',
    ],
  ],
  [
    'while it waits for a limit: the wait is over',
    {
      attempts: [failed('rate_limited', { resetMs: HOUR }), stopped],
      says: { 'wait-1': 'takeover' },
    },
    [
      ...['a', 'cools a until 3600 s', 'waits until 3600 s', 'asks wait-1'],
      ...['a taken over at 1 s', asks],
    ],
  ],
  [
    'while a gate runs: it ends first, and the next one does not begin',
    {
      settings: gated(['a']),
      attempts: [done, stopped],
      says: { 'gate-1-0': 'takeover' },
      answers: ['gates'],
    },
    [
      ...['a', 'gate test', 'a taken over at 1 s', asks, 'gate test', 'gate lint'],
      'succeeded: a person worked on it and handed it to the gates',
    ],
  ],
  [
    'again, instead of an answer: the question is over',
    {
      settings: two,
      attempts: [stopped, stopped],
      says: { ...taken, 'ask-1': 'takeover' },
    },
    [
      ...['a', 'asks attempt-1', 'a taken over', asks, 'asks ask-1'],
      ...['a taken over at 1 s', asks],
    ],
  ],
  [
    'the owner dies meanwhile: the person is asked, and no agent goes on by itself',
    { settings: two, attempts: ['interrupted'], says: taken },
    [
      ...['a', 'asks attempt-1', 'a taken over'],
      'asks: The owner died while you had a in your terminal. The files are kept. What follows?',
    ],
  ],
  [
    'an interrupt meanwhile waits, and goes into the next prompt of the agent',
    {
      settings: two,
      attempts: [stopped, done],
      says: taken,
      tells: { 'attempt-2': [interrupt] },
      answers: ['continue'],
    },
    ['a', 'asks attempt-1', 'a taken over', asks, 'a at 1 s', 'unverified: done'],
  ],
  [
    'an interrupt before that: the person comes first',
    {
      settings: gated(['a']),
      attempts: [done, stopped],
      says: { 'gate-1-0': 'takeover' },
      tells: { 'gate-1-0': [interrupt] },
    },
    ['a', 'gate test', 'a taken over at 1 s', asks],
  ],
  [
    'its program does not start: the question says why',
    { settings: two, attempts: [failed('start_refused')], says: taken },
    [
      ...['a', 'asks attempt-1', 'a taken over'],
      'asks: a did not start in your terminal: start_refused. What follows?',
    ],
  ],
  [
    'a takeover uses up no attempt',
    {
      settings: settingsFor(['a'], { attemptsMax: 1 }),
      attempts: [stopped, done],
      says: taken,
      answers: ['continue'],
    },
    [...['a', 'asks attempt-1', 'a taken over', asks], 'exhausted: the only attempt is used up'],
  ],
  [
    'from the start: the first attempt is theirs',
    { settings: { ...two, interactive: true }, attempts: [stopped, done], answers: ['continue'] },
    ['a taken over', asks, 'a at 1 s', 'unverified: done'],
  ],
  [
    'a stop outranks the takeover',
    { settings: two, attempts: [], says: { 'attempt-1': 'stop' } },
    ['a', 'asks attempt-1', 'cancelled: stopped by the user during attempt 1'],
  ],
]);

describe('an attempt of a person', () => {
  const { events, inputs } = driveAttempts({
    settings: { ...two, deadlineMs: 1000 },
    attempts: [stopped, 'open'],
    says: taken,
    notes: inS1,
    answers: ['continue'],
  });
  const limits = events.flatMap(({ type, payload }) =>
    type === 'command.begun' && payload.command === 'attempt' ? [payload.limits] : [],
  );

  test('waits for no slot, because the person sits there', () => {
    assert.deepEqual(
      limits.map((one) => one.includes('attempts')),
      [true, false, true],
    );
  });

  test('has work to judge only if it started', () => {
    const choicesAfter = (attempt: AttemptOutcome): unknown =>
      driveAttempts({ settings: two, attempts: [attempt], says: taken }).events.flatMap(
        ({ type, payload }) =>
          type === 'command.begun' && payload.command === 'ask' ? [payload.input.choices] : [],
      );
    assert.deepEqual(choicesAfter(stopped), [['continue', 'gates', 'stop']]);
    assert.deepEqual(choicesAfter(failed('start_refused')), [['continue', 'stop']]);
  });

  test('takes no message: it waits for the next attempt', () => {
    const driven = driveAttempts({
      settings: two,
      attempts: [stopped, 'open'],
      says: taken,
      tells: { 'attempt-1': [interrupt] },
      answers: ['continue'],
    });
    assert.deepEqual(
      driven.inputs.map(({ why, message }) => [why.kind, message?.text]),
      [
        ['takeover', undefined],
        ['handed-back', 'look at b.ts'],
      ],
    );
  });

  test('has no prompt but the task, and the one after it says that a person was there', () => {
    assert.equal(inputs[0]?.why.kind, 'takeover');
    assert.deepEqual(
      [inputs[1]?.why.kind, /A person took over/.test(inputs[1]?.prompt ?? '')],
      ['handed-back', true],
    );
  });
});
