import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import { commandKey } from '../base/ids.ts';
import type { NewRunEvent } from '../protocol/event.ts';
import { EVENT_VERSION } from '../protocol/event.ts';
import type { Ledger, OpenLedgerCommand } from './ledger.ts';
import { EMPTY_LEDGER, foldLedger, freshMoves } from './ledger.ts';
import type { Move } from './program.ts';
import { runEvent } from '../../test/support/run-event.ts';

function begun(
  key: string,
  command = 'claim-item',
  input: Record<string, number> = {},
): NewRunEvent {
  return runEvent({ type: 'command.begun', payload: { key, command, input, limits: ['x'] } });
}

function wait(key: string, until: number): NewRunEvent {
  return runEvent({
    type: 'command.begun',
    payload: { key, command: 'wait', input: { until }, limits: [] },
  });
}

function ask(key: string): NewRunEvent {
  return runEvent({
    type: 'command.begun',
    payload: { key, command: 'ask', input: {}, limits: [] },
  });
}

function cancelled(key: string, how: 'ask' | 'kill'): NewRunEvent {
  return { type: 'command.cancelled', payload: { key, how } };
}

function ended(key: string): NewRunEvent {
  return runEvent({ type: 'command.ended', payload: { key, end: { kind: 'interrupted' } } });
}

const finished: NewRunEvent = {
  type: 'run.ended',
  payload: { outcome: { kind: 'succeeded', reason: 'x' } },
};

function ledgerOf(...events: readonly NewRunEvent[]): Ledger {
  return events.reduce(
    (ledger, event, index) =>
      foldLedger(ledger, {
        id: 1,
        stream: 'run/a',
        seq: index + 1,
        v: EVENT_VERSION,
        at: 0,
        ...event,
      }),
    EMPTY_LEDGER,
  );
}

function received(kind: 'pause' | 'unpause' | 'stop' | 'retry-now'): NewRunEvent {
  return { type: 'signal.received', payload: { signal: { kind } } };
}

function byParent(kind: 'pause' | 'unpause'): NewRunEvent {
  return { type: 'signal.received', payload: { signal: { kind, by: 'parent' } } };
}

const messaged: NewRunEvent = {
  type: 'signal.received',
  payload: { signal: { kind: 'message', from: null, text: 'go' } },
};

function opened(key: string, more: Partial<OpenLedgerCommand> = {}): OpenLedgerCommand {
  const one = { key: commandKey(key), command: 'claim-item', limits: ['x'], until: null } as const;
  return { ...one, cancelled: null, ...more };
}

describe('the ledger of a run', () => {
  const known = { a: [[1, 1]] } as const;
  const cases: [why: string, events: NewRunEvent[], expected: Ledger][] = [
    ['is empty at first', [], EMPTY_LEDGER],
    [
      'a command that has begun is open',
      [begun('a-1')],
      {
        ...EMPTY_LEDGER,
        known,
        open: [opened('a-1')],
        ended: false,
        paused: false,
        counted: ['x'],
      },
    ],
    [
      'a wait has an end time',
      [begun('a-1', 'wait', { until: 7 })],
      {
        ...EMPTY_LEDGER,
        known,
        open: [opened('a-1', { command: 'wait', until: 7 })],
        ended: false,
        paused: false,
        counted: ['x'],
      },
    ],
    [
      'another command with `until` in its input has no end time',
      [begun('a-1', 'claim-item', { until: 7 })],
      {
        ...EMPTY_LEDGER,
        known,
        open: [opened('a-1')],
        ended: false,
        paused: false,
        counted: ['x'],
      },
    ],
    [
      'a cancelled command is still open',
      [begun('a-1'), cancelled('a-1', 'ask')],
      {
        ...EMPTY_LEDGER,
        known,
        open: [opened('a-1', { cancelled: 'ask' })],
        ended: false,
        paused: false,
        counted: ['x'],
      },
    ],
    [
      'a command that has ended is not open, but its key is used',
      [begun('a-1'), ended('a-1')],
      { ...EMPTY_LEDGER, known, open: [], ended: false, paused: false, counted: ['x'] },
    ],
    [
      'the oldest open command comes first',
      [begun('a-2'), begun('a-1'), begun('a-3'), ended('a-1')],
      {
        ...EMPTY_LEDGER,
        known: { a: [[1, 3]] },
        open: [opened('a-2'), opened('a-3')],
        ended: false,
        paused: false,
        counted: ['x'],
      },
    ],
    ['a pause holds the run', [received('pause')], { ...EMPTY_LEDGER, paused: true }],
    [
      'an unpause ends the pause',
      [received('pause'), received('retry-now'), received('unpause')],
      EMPTY_LEDGER,
    ],
    ['a stop ends the pause', [received('pause'), received('stop')], EMPTY_LEDGER],
    [
      'a dismissal ends the pause',
      [
        received('pause'),
        {
          type: 'signal.received',
          payload: { signal: { kind: 'dismiss', because: 'enough' } },
        },
      ],
      EMPTY_LEDGER,
    ],
    [
      'a parent that is paused holds its child',
      [byParent('pause')],
      { ...EMPTY_LEDGER, paused: true, pausedByParent: true },
    ],
    [
      'a parent that continues releases its child',
      [byParent('pause'), byParent('unpause')],
      EMPTY_LEDGER,
    ],
    [
      'a parent that continues does not release a child that a person has paused',
      [byParent('pause'), received('pause'), byParent('unpause')],
      { ...EMPTY_LEDGER, paused: true },
    ],
    [
      'a person who paused it first has paused it',
      [received('pause'), byParent('pause')],
      { ...EMPTY_LEDGER, paused: true },
    ],
    ['a run that has ended', [finished], { ...EMPTY_LEDGER, ended: true }],
    [
      'notes and other signals change nothing',
      [
        runEvent({ type: 'command.noted', payload: { key: 'a', note: {} } }),
        { type: 'signal.received', payload: { signal: { kind: 'stop' } } },
      ],
      EMPTY_LEDGER,
    ],
  ];
  for (const [why, events, expected] of cases)
    test(why, () => assert.deepEqual(ledgerOf(...events), expected));
});

describe('the limits that a run counts against', () => {
  const child = (key: string): NewRunEvent =>
    runEvent({
      type: 'command.begun',
      payload: { key, command: 'run', input: { run: 'b' }, limits: [] },
    });
  const LONG = 600_001;
  const cases: [why: string, events: NewRunEvent[], counted: readonly string[]][] = [
    ['stay between its commands', [begun('a-1'), ended('a-1')], ['x']],
    ['stay during a short wait', [begun('a-1'), ended('a-1'), wait('b-1', LONG - 1)], ['x']],
    ['end with a long wait', [begun('a-1'), ended('a-1'), wait('b-1', LONG)], []],
    ['end when a person is asked', [begun('a-1'), ended('a-1'), ask('b-1')], []],
    ['end when it waits for a child', [begun('a-1'), ended('a-1'), child('b-1')], []],
    [
      'end when it waits for a child and for a short time',
      [begun('a-1'), ended('a-1'), child('b-1'), wait('c-1', 1)],
      [],
    ],
    ['stay if a command runs beside the child', [begun('a-1'), child('b-1')], ['x']],
    ['stay if a command runs beside the long wait', [begun('a-1'), wait('b-1', LONG)], ['x']],
    ['end when that command has ended', [begun('a-1'), wait('b-1', LONG), ended('a-1')], []],
    [
      'start again with the next command',
      [begun('a-1'), ended('a-1'), ask('b-1'), ended('b-1'), begun('c-1')],
      ['x'],
    ],
    ['end when a parked agent receives a message', [begun('a-1'), ended('a-1'), messaged], []],
    ['stay when a working agent receives a message', [begun('a-1'), messaged], ['x']],
    [
      'stay when a run is paused between its commands',
      [begun('a-1'), ended('a-1'), received('pause')],
      ['x'],
    ],
  ];
  for (const [why, events, counted] of cases)
    test(why, () => assert.deepEqual(ledgerOf(...events).counted, counted));
});

describe('a move is new', () => {
  const key = commandKey('a-1');
  const perform = { kind: 'perform', key, command: 'claim-item', input: {} } as unknown as Move;
  const wait: Move = { kind: 'wait', key, until: at(5), reason: 'timer', why: '' };
  const ask: Move = { kind: 'ask', key, question: '?' };
  const softly: Move = { kind: 'cancel', key, how: 'ask' };
  const firmly: Move = { kind: 'cancel', key, how: 'kill' };
  const finish: Move = { kind: 'finish', outcome: { kind: 'failed', reason: 'x' } };
  const cases: [why: string, events: NewRunEvent[], moves: Move[], fresh: Move[]][] = [
    ['if its key was never used', [], [perform], [perform]],
    ['not if its key is open', [begun('a-1')], [perform, wait, ask], []],
    ['not if its key has ended', [begun('a-1'), ended('a-1')], [perform, wait, ask], []],
    ['once if the program repeats its key', [], [perform, perform, wait], [perform]],
    ['if it cancels an open command', [begun('a-1')], [softly], [softly]],
    ['not if it cancels a command that never began', [], [softly, firmly], []],
    ['not if it cancels a command that has ended', [begun('a-1'), ended('a-1')], [firmly], []],
    [
      'not if it cancels in the same way again',
      [begun('a-1'), cancelled('a-1', 'ask')],
      [softly],
      [],
    ],
    [
      'if a kill follows a request to cancel',
      [begun('a-1'), cancelled('a-1', 'ask')],
      [firmly],
      [firmly],
    ],
    [
      'not if anything follows a kill',
      [begun('a-1'), cancelled('a-1', 'kill')],
      [softly, firmly],
      [],
    ],
    ['if it is the first of two cancellations', [begun('a-1')], [firmly, softly], [firmly]],
    ['once if it finishes the run', [], [finish, finish], [finish]],
    ['not if the run has ended', [finished], [finish], []],
  ];
  for (const [why, events, moves, fresh] of cases)
    test(why, () => assert.deepEqual(freshMoves(ledgerOf(...events), moves), fresh));
});
