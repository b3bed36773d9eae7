import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_BUDGET_SPENT } from './budget-view.ts';
import type { NewRunEvent } from '../event.ts';
import { EVENT_VERSION } from '../event.ts';
import { runStream } from '../streams.ts';
import type { RunView } from './run-view.ts';
import { RunView as RunViewSchema, foldRunView } from './run-view.ts';
import { storedView, wholeView } from './stored-view.ts';
import type { RunStatus } from './run-status.ts';
import { runStatus, settledStatus, statusText } from './run-status.ts';
import { runEvent, submission as written } from '../../../test/support/run-event.ts';

const submission = written({ program: 'p', task: 't', project: '/p', settings: {} });
const submitted: NewRunEvent = { type: 'run.submitted', payload: submission };

function begun(key: string, command = 'attempt', input = {}): NewRunEvent {
  return runEvent({ type: 'command.begun', payload: { key, command, input, limits: [] } });
}

function ended(key: string, kind: 'done' | 'interrupted' = 'done'): NewRunEvent {
  const end = kind === 'done' ? ({ kind, result: {} } as const) : ({ kind } as const);
  return runEvent({ type: 'command.ended', payload: { key, end } });
}

function keyless(key: string): NewRunEvent {
  const result = { kind: 'failed', reason: 'keys_missing', message: 'a needs a key' };
  const end = { kind: 'done', result } as const;
  return runEvent({ type: 'command.ended', payload: { key, end } });
}

function said(kind: 'stop' | 'kill' | 'retry-now' | 'pause' | 'unpause'): NewRunEvent {
  return { type: 'signal.received', payload: { signal: { kind } } };
}

function judged(kind: 'passed' | 'failed'): NewRunEvent {
  const end = { kind: 'done', result: { kind, name: 'test' } } as const;
  return runEvent({ type: 'command.ended', payload: { key: 'g', command: 'gate', end } });
}

function answered(key: string, command = 'attempt'): NewRunEvent {
  const result = { answer: { status: `of ${key}` } };
  return runEvent({
    type: 'command.ended',
    payload: { key, command, end: { kind: 'done', result } },
  });
}

const finished: NewRunEvent = {
  type: 'run.ended',
  payload: { outcome: { kind: 'failed', reason: 'no' } },
};

/** Each fact happens ten milliseconds after the one before. */
function view(...events: readonly NewRunEvent[]): RunView | undefined {
  return events.reduce<RunView | undefined>((before, event, index) => {
    const seq = index + 1;
    const head = { id: 100 + seq, stream: runStream('0123456789'), seq, v: EVENT_VERSION };
    return foldRunView(before, { ...head, at: seq * 10, ...event });
  }, undefined);
}

const fresh: RunView = {
  id: '0123456789',
  program: 'p',
  task: 't',
  project: '/p',
  submittedAt: 10,
  agent: null,
  name: null,
  login: null,
  heldCall: null,
  gate: null,
  accepted: [],
  committed: null,
  open: [],
  begun: 0,
  attempts: 0,
  lastAttempt: 0,
  workflow: null,
  failure: null,
  interrupted: 0,
  lives: 0,
  parent: null,
  continues: null,
  children: 0,
  workFiles: 0,
  stopAskedAt: null,
  pausedAt: null,
  budget: NO_BUDGET_SPENT,
  quota: null,
  endedAt: null,
  outcome: null,
  answer: null,
  caveats: [],
  seq: 1,
};

const quota: RunView['quota'] = {
  wire: 'anthropic',
  status: 'quota-low',
  windows: [
    { name: '5h', limit: null, used: null, remaining: null, usedPercent: 94, resetAt: 5000 },
  ],
};
const low: NewRunEvent = runEvent({
  type: 'command.noted',
  payload: { key: 'a', note: { kind: 'quota', ...quota } },
});

test('a view says why the last attempt failed, until one does not fail', () => {
  const ended = (result: unknown): NewRunEvent =>
    runEvent({
      type: 'command.ended',
      payload: { key: 'a', command: 'attempt', end: { kind: 'done', result } },
    });
  const failed = ended({ kind: 'failed', reason: 'rate_limited', message: '' });
  const after = (...events: readonly NewRunEvent[]): RunView['failure'] | undefined =>
    view(submitted, ...events)?.failure;
  assert.deepEqual(
    [
      after(failed),
      after(failed, ended({ kind: 'stopped' })),
      after(failed, ended({ kind: 'completed' })),
    ],
    ['rate_limited', 'rate_limited', null],
  );
});

describe('the view of a run', () => {
  const open: RunView['open'] = [{ key: 'a', command: 'attempt', begunAt: 20 }];
  const outcome = { kind: 'failed', reason: 'no' } as const;
  const cases: [why: string, events: NewRunEvent[], expected: RunView | undefined][] = [
    ['no first fact: no view', [begun('a')], undefined],
    ['submitted', [submitted], fresh],
    [
      'a fork shows the task of the original run as its own',
      [{ type: 'run.forked', payload: { from: 'ffffffffff', seq: 4, submission } }],
      { ...fresh, continues: 'ffffffffff' },
    ],
    [
      'an attempt that lacked its key is no attempt',
      [submitted, begun('a'), keyless('a')],
      { ...fresh, agent: 'a', begun: 1, lastAttempt: 1, failure: 'keys_missing', seq: 3 },
    ],
    [
      'begun',
      [submitted, begun('a')],
      { ...fresh, agent: 'a', begun: 1, attempts: 1, lastAttempt: 1, open, seq: 2 },
    ],
    [
      'ended',
      [submitted, begun('a'), ended('a')],
      { ...fresh, agent: 'a', begun: 1, attempts: 1, lastAttempt: 1, seq: 3 },
    ],
    [
      'interrupted',
      [submitted, begun('a'), ended('a', 'interrupted')],
      { ...fresh, agent: 'a', begun: 1, attempts: 1, lastAttempt: 1, interrupted: 1, seq: 3 },
    ],
    [
      'the first stop is the one that counts',
      [submitted, said('retry-now'), said('stop'), said('kill')],
      { ...fresh, stopAskedAt: 30, seq: 4 },
    ],
    [
      'notes and cancellations change nothing but the seq',
      [
        submitted,
        runEvent({ type: 'command.noted', payload: { key: 'a', note: {} } }),
        { type: 'command.cancelled', payload: { key: 'a', how: 'ask' } },
      ],
      { ...fresh, seq: 3 },
    ],
    [
      'paused since the first pause',
      [submitted, said('pause'), said('pause')],
      { ...fresh, pausedAt: 20, seq: 3 },
    ],
    ['unpaused', [submitted, said('pause'), said('unpause')], { ...fresh, seq: 3 }],
    [
      'a question and its choices',
      [
        submitted,
        {
          type: 'command.begun',
          payload: {
            key: 'q',
            command: 'ask',
            input: { question: 'Go on?', choices: ['yes', 'no'] },
            limits: [],
          },
        },
      ],
      {
        ...fresh,
        begun: 1,
        open: [
          { key: 'q', command: 'ask', begunAt: 20, question: 'Go on?', choices: ['yes', 'no'] },
        ],
        seq: 2,
      },
    ],
    ['the remaining quota of a plan', [submitted, low], { ...fresh, quota, seq: 2 }],
    [
      'the answer of an attempt stays until the next attempt begins',
      [submitted, begun('a'), answered('a'), begun('g', 'claim-item'), answered('g', 'ask')],
      {
        ...fresh,
        agent: 'a',
        begun: 2,
        attempts: 1,
        lastAttempt: 1,
        answer: { status: 'of a' },
        seq: 5,
      },
    ],
    [
      'the answer is dropped when the next attempt begins',
      [submitted, begun('a'), answered('a'), begun('b')],
      {
        ...fresh,
        agent: 'a',
        begun: 2,
        attempts: 2,
        lastAttempt: 1,
        open: [{ key: 'b', command: 'attempt', begunAt: 40 }],
        seq: 4,
      },
    ],
    [
      'a gate that runs',
      [submitted, begun('g', 'gate', { name: 'test' })],
      {
        ...fresh,
        begun: 1,
        gate: { name: 'test', verdict: 'running' },
        open: [{ key: 'g', command: 'gate', begunAt: 20 }],
        seq: 2,
      },
    ],
    [
      'the verdict of a gate stays when the attempt has ended',
      [submitted, begun('g', 'gate', { name: 'test' }), judged('failed')],
      { ...fresh, begun: 1, gate: { name: 'test', verdict: 'failed' }, seq: 3 },
    ],
    [
      'the next attempt forgets the gate of the last',
      [submitted, begun('g', 'gate', { name: 'test' }), judged('failed'), begun('b'), ended('b')],
      { ...fresh, agent: 'a', begun: 2, attempts: 1, lastAttempt: 1, seq: 5 },
    ],
    [
      'a wait, with its end and its reason',
      [submitted, begun('w', 'wait', { until: 90, reason: 'cooldown', why: 'claude is limited' })],
      {
        ...fresh,
        begun: 1,
        open: [
          {
            key: 'w',
            command: 'wait',
            begunAt: 20,
            waitReason: 'cooldown',
            waitText: 'claude is limited',
            waitUntil: 90,
          },
        ],
        seq: 2,
      },
    ],
    [
      'the agent that the settings name, before the first attempt',
      [
        runEvent({
          type: 'run.submitted',
          payload: { ...submission, settings: { agent: { id: 'main' } } },
        }),
      ],
      { ...fresh, agent: 'main' },
    ],
    ['its end', [submitted, finished], { ...fresh, endedAt: 20, outcome, seq: 2 }],
  ];
  for (const [why, events, expected] of cases) {
    test(why, () => {
      assert.deepEqual(withoutTime(view(...events)), expected);
      if (expected !== undefined) assert.deepEqual(RunViewSchema.parse(expected), expected);
    });
  }
});

/** The time that counts has its own tests. */
function withoutTime(seen: RunView | undefined): RunView | undefined {
  if (seen === undefined) return undefined;
  const { time: _, ...budget } = seen.budget;
  return { ...seen, budget };
}

test('a run has the files of its last committed work', () => {
  const committed = (files: number): NewRunEvent =>
    runEvent({
      type: 'command.noted',
      payload: { key: 'a', command: 'attempt', note: { kind: 'committed', files } },
    });
  assert.equal(view(submitted, begun('a'), committed(3), committed(2))?.workFiles, 2);
  const collected = (answer: object): NewRunEvent => {
    const end = { kind: 'done', result: { answer: { ...answer }, work: { files: 4 } } };
    return runEvent({ type: 'command.ended', payload: { key: 'c', command: 'collect-step', end } });
  };
  assert.equal(view(submitted, collected({ files_modified: [] }))?.workFiles, 4);
  assert.equal(view(submitted, collected({ issues: [] }))?.workFiles, 0);
});

describe('the status of a run', () => {
  const wait = begun('w', 'wait');
  const ask = begun('q', 'ask');
  const money = begun('q', 'ask', { question: 'more?', choices: ['continue', 'stop'] });
  const keys = begun('q', 'ask', { question: 'key?', choices: ['retry', 'stop'], about: 'keys' });
  const reply = (answer: string): NewRunEvent => ({
    type: 'signal.received',
    payload: { signal: { kind: 'answer', key: 'q', answer } },
  });
  const cases: [why: string, events: NewRunEvent[], expected: string][] = [
    ['nothing has begun', [], 'queued'],
    ['a command is running', [begun('a')], 'running'],
    ['only waits are open', [wait], 'waiting'],
    ['a command is running beside a wait', [wait, begun('a')], 'running'],
    ['a question overrides work', [begun('a'), ask, wait], 'awaiting_input'],
    ['a stop overrides a question', [ask, said('stop')], 'stopping'],
    ['a pause overrides a question', [ask, said('pause')], 'paused'],
    ['a stop overrides a pause', [said('pause'), said('stop')], 'stopping'],
    ['a budget that a person does not raise', [money, reply('stop'), ended('q')], 'stopping'],
    ['a budget that a person raises', [money, reply('continue'), ended('q')], 'queued'],
    ['a key that a person does not give', [keys, reply('stop'), ended('q')], 'stopping'],
    ['a key that a person gives', [keys, reply('retry'), ended('q')], 'queued'],
    ['the answer "stop" to an agent', [ask, reply('stop'), ended('q')], 'queued'],
    ['after an attempt, before anything else begins', [begun('a'), ended('a')], 'running'],
    [
      'after the first attempt, while a limit is recorded',
      [begun('a'), ended('a'), begun('b', 'set-cooldown')],
      'running',
    ],
    [
      'after the second, before anything else begins',
      [begun('a'), ended('a'), begun('b'), ended('b')],
      'running (attempt 2)',
    ],
    [
      'while it waits before the second',
      [begun('a'), ended('a'), begun('b', 'wait', { reason: 'retry' })],
      'retrying (attempt 2)',
    ],
    ['during the second', [begun('a'), ended('a'), begun('b')], 'running (attempt 2)'],
    [
      'while it waits before the third',
      [begun('a'), ended('a'), begun('b'), ended('b'), begun('c', 'wait', { reason: 'retry' })],
      'retrying (attempt 3)',
    ],
    [
      'in the second attempt of a run that continues another one',
      [begun('attempt-9'), ended('attempt-9'), begun('attempt-10')],
      'running (attempt 10)',
    ],
    [
      'while a run that continues another one waits before its next attempt',
      [begun('attempt-9'), ended('attempt-9'), begun('c', 'wait', { reason: 'retry' })],
      'retrying (attempt 10)',
    ],
    [
      'in the first attempt of a run that continues another one',
      [begun('attempt-9')],
      'running (attempt 9)',
    ],
    ['while it waits for a limit to end', [begun('c', 'wait', { reason: 'cooldown' })], 'cooling'],
    ['while a gate runs', [begun('a'), ended('a'), begun('gate-1-0', 'gate')], 'verifying'],
    [
      'while it checks which agents are available',
      [begun('check-availability-1', 'check-availability')],
      'preparing',
    ],
    ['an end overrides everything', [ask, said('kill'), finished], 'failed'],
  ];
  for (const [why, events, expected] of cases) {
    test(why, () => {
      const seen = view(submitted, ...events);
      assert.equal(seen === undefined ? undefined : statusText(seen), expected);
    });
  }
});

test('a run whose next command waits for a slot is queued, unless it does something else', () => {
  const states = (events: readonly NewRunEvent[]): string | undefined => {
    const seen = view(submitted, ...events);
    return seen && runStatus({ ...seen, isHeld: true });
  };
  const attempted = [begun('a', 'attempt'), ended('a')];
  assert.deepEqual([attempted, [begun('a', 'attempt')], [...attempted, said('stop')]].map(states), [
    'queued',
    'running',
    'stopping',
  ]);
});

describe('the status for a reader of every event', () => {
  const cases: [why: string, events: NewRunEvent[], expected: RunStatus | undefined][] = [
    ['is known before anything has begun', [], 'queued'],
    ['is known while a command is open', [begun('a')], 'running'],
    ['is open between two commands', [begun('a'), ended('a')], undefined],
    [
      'is known if the user has stopped the run',
      [begun('a'), ended('a'), said('stop')],
      'stopping',
    ],
    ['is known at the end', [begun('a'), ended('a'), finished], 'failed'],
  ];
  for (const [why, events, expected] of cases)
    test(why, () => {
      const seen = view(submitted, ...events);
      assert.equal(seen === undefined ? undefined : settledStatus(seen), expected);
    });
});

describe('the status of a long-lived agent', () => {
  const summoned: NewRunEvent = runEvent({
    type: 'run.submitted',
    payload: { ...submission, program: 'agent' },
  });
  const live = (life: number): NewRunEvent => ({
    type: 'signal.received',
    payload: { signal: { kind: 'start-life', life } },
  });
  const first = [live(1), begun('a')];
  const cases: [why: string, events: NewRunEvent[], expected: string][] = [
    ['its supervisor has not started a life', [], 'summoned'],
    ['a life number that does not follow is ignored', [live(2)], 'summoned'],
    ['it works', first, 'running (life 1, turn 1)'],
    [
      'it works while a person is asked about an issue',
      [...first, begun('b', 'ask', { issue: 1 })],
      'running (life 1, turn 1)',
    ],
    ['it is in its second turn', [...first, ended('a'), begun('b')], 'running (life 1, turn 2)'],
    ['no command is open', [...first, ended('a')], 'parked (life 1, turn 1)'],
    [
      'it checks its queue',
      [...first, ended('a'), begun('claim-item-1', 'claim-item')],
      'parked (life 1, turn 1)',
    ],
    [
      'it is verified',
      [...first, ended('a'), begun('gate-1', 'gate')],
      'verifying (life 1, turn 1)',
    ],
    ['it asks', [...first, ended('a'), begun('ask-1', 'ask')], 'awaiting_input (life 1, turn 1)'],
    [
      'it is cooling down',
      [...first, ended('a'), begun('b', 'wait', { reason: 'cooldown' })],
      'cooling (life 1, turn 1)',
    ],
    [
      'it has its second life',
      [...first, ended('a'), live(2), live(2), begun('b')],
      'running (life 2, turn 2)',
    ],
    ['it is over', [...first, ended('a'), finished], 'failed'],
  ];
  for (const [why, events, expected] of cases)
    test(why, () => {
      const seen = view(summoned, ...events);
      assert.equal(seen === undefined ? undefined : statusText(seen), expected);
    });
});

test('a stored view is read back unchanged, and empty fields are not stored', () => {
  const text = JSON.stringify(storedView(fresh));
  assert.doesNotMatch(text, /task|budget|quota|answer/);
  assert.deepEqual(wholeView(JSON.parse(text), fresh.task), fresh);
  const full = {
    ...fresh,
    answer: { a: 1 },
    budget: { ...fresh.budget, spent: { tokens: 1, usd: 2, calls: 3 } },
    quota: { wire: 'w', status: 'ok', windows: [] },
  } satisfies RunView;
  assert.deepEqual(wholeView(JSON.parse(JSON.stringify(storedView(full))), full.task), full);
});
