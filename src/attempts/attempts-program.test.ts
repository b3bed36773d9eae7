import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import { commandKey } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import type { Move } from '../engine/program.ts';
import type { CommandEnd, NewEvent, Signal, Submission } from '../protocol/event.ts';
import { EVENT_VERSION } from '../protocol/event.ts';
import { REASON_MAX, RunOutcome } from '../protocol/outcome.ts';
import type { AttemptOutcome } from './attempt.ts';
import { attemptsProgram } from './attempts-program.ts';

const settings = {
  agent: { id: 'claude', cli: 'scripted' },
  graceMs: 5000,
  deadlineMs: null,
  lostMax: 2,
  outputBytesMax: 1000,
};
const submission: Submission = {
  program: 'attempts',
  task: 'mend it',
  project: '/app',
  settings,
};

function begun(number: number): NewEvent {
  const key = `attempt-${number}`;
  return { type: 'command.begun', payload: { key, command: 'attempt', input: {}, limits: [] } };
}

function ended(number: number, end: CommandEnd): NewEvent {
  return { type: 'command.ended', payload: { key: `attempt-${number}`, end } };
}

function done(number: number, outcome: AttemptOutcome): NewEvent {
  return ended(number, { kind: 'done', result: outcome });
}

function lost(number: number): NewEvent {
  return ended(number, { kind: 'lost' });
}

function said(kind: Exclude<Signal['kind'], 'answer'>): NewEvent {
  return { type: 'signal.received', payload: { signal: { kind } } };
}

function noted(number: number): NewEvent {
  return { type: 'command.noted', payload: { key: `attempt-${number}`, note: { pid: 1 } } };
}

function perform(number: number): Move {
  return {
    kind: 'perform',
    key: commandKey(`attempt-${number}`),
    command: 'attempt',
    input: { ...settings, prompt: 'mend it', project: '/app' },
    limits: ['attempts', 'project:/app'],
  };
}

function cancel(number: number, how: 'ask' | 'kill'): Move {
  return { kind: 'cancel', key: commandKey(`attempt-${number}`), how };
}

function finish(kind: RunOutcome['kind'], reason: string): Move {
  return { kind: 'finish', outcome: { kind, reason } };
}

function failed(reason: 'crashed' | 'agent_missing' | 'deadline', message: string): AttemptOutcome {
  return { kind: 'failed', reason, message };
}

const completed: AttemptOutcome = { kind: 'completed', summary: 'mended' };
const stopped: AttemptOutcome = { kind: 'stopped' };

/** What the program says after these facts. */
function movesAfter(history: readonly NewEvent[]): readonly Move[] {
  const state = history.reduce<Parameters<typeof attemptsProgram.fold>[0]>(
    (before, event, index) => {
      const stored = {
        id: index,
        stream: 'run/a',
        seq: index + 2,
        v: EVENT_VERSION,
        at: 0,
        ...event,
      };
      const folded = attemptsProgram.fold(before, stored);
      // A snapshot may be taken after any fact: the state must survive being text.
      assert.deepEqual(JSON.parse(JSON.stringify(folded)) as Json, folded);
      return folded;
    },
    attemptsProgram.start(submission),
  );
  return attemptsProgram.next(state, at(0), 0);
}

describe('one task through one agent', () => {
  const cases: [why: string, history: NewEvent[], moves: Move[]][] = [
    ['it begins with an attempt', [], [perform(1)]],
    ['while that goes on there is nothing to do', [begun(1)], []],
    ['what is noted changes nothing', [begun(1), noted(1)], []],
    [
      'completed work is unverified, since nobody checked',
      [begun(1), done(1, completed)],
      [finish('unverified', 'mended')],
    ],
    [
      'a crash fails the run',
      [begun(1), done(1, failed('crashed', 'exit 1'))],
      [finish('failed', 'claude: exit 1')],
    ],
    [
      'so does an agent that is not there',
      [begun(1), done(1, failed('agent_missing', 'not found'))],
      [finish('failed', 'claude: not found')],
    ],
    [
      'so does a deadline',
      [begun(1), done(1, failed('deadline', 'ran past its deadline'))],
      [finish('failed', 'claude: ran past its deadline')],
    ],
    [
      'a defect of ours fails it, and says whose fault it is',
      [begun(1), ended(1, { kind: 'defect', message: 'Error: x' })],
      [finish('failed', "claude: supervisor's own fault: Error: x")],
    ],
    ['an attempt that was lost is begun again', [begun(1), lost(1)], [perform(2)]],
    [
      'and that one may complete',
      [begun(1), lost(1), begun(2), done(2, completed)],
      [finish('unverified', 'mended')],
    ],
    ['it is begun again as often as allowed', [begun(1), lost(1), begun(2), lost(2)], [perform(3)]],
    [
      'and once more is too often',
      [begun(1), lost(1), begun(2), lost(2), begun(3), lost(3)],
      [finish('exhausted', 'the attempt was lost 3 times with its owner')],
    ],
    ['retry-now is for waits, of which there are none', [begun(1), said('retry-now')], []],
  ];
  for (const [why, history, moves] of cases)
    test(why, () => assert.deepEqual(movesAfter(history), moves));
});

function during(number: number): string {
  return `stopped by the user during attempt ${number}`;
}

describe('a user who stops it', () => {
  const cases: [why: string, history: NewEvent[], moves: Move[]][] = [
    [
      'before it began: nothing ever begins',
      [said('stop')],
      [finish('cancelled', 'stopped before it began')],
    ],
    ['killed before it began', [said('kill')], [finish('killed', 'stopped before it began')]],
    ['while it runs: the attempt is asked to end', [begun(1), said('stop')], [cancel(1, 'ask')]],
    ['while it runs, with a kill: it is not asked', [begun(1), said('kill')], [cancel(1, 'kill')]],
    ['a kill after a stop is firmer', [begun(1), said('stop'), said('kill')], [cancel(1, 'kill')]],
    [
      'a stop after a kill is not softer',
      [begun(1), said('kill'), said('stop')],
      [cancel(1, 'kill')],
    ],
    [
      'the attempt that ended so ends the run',
      [begun(1), said('stop'), done(1, stopped)],
      [finish('cancelled', during(1))],
    ],
    [
      'killed, it ends as killed',
      [begun(1), said('kill'), done(1, stopped)],
      [finish('killed', during(1))],
    ],
    [
      'work that was finished meanwhile is finished work',
      [begun(1), said('stop'), done(1, completed)],
      [finish('unverified', 'mended')],
    ],
    [
      'what failed meanwhile was stopped',
      [begun(1), said('stop'), done(1, failed('crashed', 'x'))],
      [finish('cancelled', during(1))],
    ],
    [
      'what was lost meanwhile is not begun again',
      [begun(1), said('stop'), lost(1)],
      [finish('cancelled', during(1))],
    ],
    [
      'nor when it was lost before',
      [begun(1), lost(1), said('stop')],
      [finish('cancelled', during(1))],
    ],
    [
      'the second attempt can be stopped too',
      [begun(1), lost(1), begun(2), said('stop')],
      [cancel(2, 'ask')],
    ],
    [
      'an attempt that stopped without a stop on record cancels the run',
      [begun(1), done(1, stopped)],
      [finish('cancelled', 'attempt 1 was stopped')],
    ],
  ];
  for (const [why, history, moves] of cases)
    test(why, () => assert.deepEqual(movesAfter(history), moves));
});

test('an outcome fits its schema however much the agent has to say', () => {
  for (const length of [REASON_MAX, REASON_MAX + 1, 100_000]) {
    const summary = 'x'.repeat(length);
    const [move] = movesAfter([begun(1), done(1, { kind: 'completed', summary })]);
    const outcome = RunOutcome.parse(move?.kind === 'finish' ? move.outcome : undefined);
    assert.equal(outcome.reason.length, REASON_MAX);
  }
});
