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

function begun(key: string, command = 'take', input: Record<string, number> = {}): NewRunEvent {
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
  return runEvent({ type: 'command.ended', payload: { key, end: { kind: 'lost' } } });
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

function said(kind: 'pause' | 'unpause' | 'stop' | 'retry-now'): NewRunEvent {
  return { type: 'signal.received', payload: { signal: { kind } } };
}

const spokenTo: NewRunEvent = {
  type: 'signal.received',
  payload: { signal: { kind: 'message', from: null, text: 'go' } },
};

function opened(key: string, more: Partial<OpenLedgerCommand> = {}): OpenLedgerCommand {
  const one = { key: commandKey(key), command: 'take', limits: ['x'], until: null } as const;
  return { ...one, cancelled: null, ...more };
}

describe('what the engine knows of a run', () => {
  const known = { a: [[1, 1]] } as const;
  const cases: [why: string, events: NewRunEvent[], expected: Ledger][] = [
    ['at first nothing', [], EMPTY_LEDGER],
    [
      'what has begun is open',
      [begun('a-1')],
      { known, open: [opened('a-1')], ended: false, paused: false, counted: ['x'] },
    ],
    [
      'a wait has an end',
      [begun('a-1', 'wait', { until: 7 })],
      {
        known,
        open: [opened('a-1', { command: 'wait', until: 7 })],
        ended: false,
        paused: false,
        counted: ['x'],
      },
    ],
    [
      'what merely has such an input has none',
      [begun('a-1', 'take', { until: 7 })],
      { known, open: [opened('a-1')], ended: false, paused: false, counted: ['x'] },
    ],
    [
      'what is called off is still open',
      [begun('a-1'), cancelled('a-1', 'ask')],
      {
        known,
        open: [opened('a-1', { cancelled: 'ask' })],
        ended: false,
        paused: false,
        counted: ['x'],
      },
    ],
    [
      'what has ended is not, but its key is used',
      [begun('a-1'), ended('a-1')],
      { known, open: [], ended: false, paused: false, counted: ['x'] },
    ],
    [
      'the oldest comes first',
      [begun('a-2'), begun('a-1'), begun('a-3'), ended('a-1')],
      {
        known: { a: [[1, 3]] },
        open: [opened('a-2'), opened('a-3')],
        ended: false,
        paused: false,
        counted: ['x'],
      },
    ],
    ['a paused run', [said('pause')], { ...EMPTY_LEDGER, paused: true }],
    ['one that goes on', [said('pause'), said('retry-now'), said('unpause')], EMPTY_LEDGER],
    ['a stop outranks a pause', [said('pause'), said('stop')], EMPTY_LEDGER],
    [
      'so does letting an agent go',
      [
        said('pause'),
        {
          type: 'signal.received',
          payload: { signal: { kind: 'dismiss', because: 'enough' } },
        },
      ],
      EMPTY_LEDGER,
    ],
    ['a run that has ended', [finished], { ...EMPTY_LEDGER, ended: true }],
    [
      'the rest is none of its business',
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

describe('what a run counts against', () => {
  const LONG = 600_001;
  const cases: [why: string, events: NewRunEvent[], counted: readonly string[]][] = [
    ['stays so between its commands', [begun('a-1'), ended('a-1')], ['x']],
    ['and through a short wait', [begun('a-1'), ended('a-1'), wait('b-1', LONG - 1)], ['x']],
    ['not through a long one', [begun('a-1'), ended('a-1'), wait('b-1', LONG)], []],
    ['nor while a person is asked', [begun('a-1'), ended('a-1'), ask('b-1')], []],
    ['unless it does something meanwhile', [begun('a-1'), wait('b-1', LONG)], ['x']],
    ['until that has ended', [begun('a-1'), wait('b-1', LONG), ended('a-1')], []],
    [
      'and anew with the next command',
      [begun('a-1'), ended('a-1'), ask('b-1'), ended('b-1'), begun('c-1')],
      ['x'],
    ],
    ['not once it has stood, and is spoken to', [begun('a-1'), ended('a-1'), spokenTo], []],
    ['though whoever is at work may be spoken to', [begun('a-1'), spokenTo], ['x']],
    ['and told what any run is told', [begun('a-1'), ended('a-1'), said('pause')], ['x']],
  ];
  for (const [why, events, counted] of cases)
    test(why, () => assert.deepEqual(ledgerOf(...events).counted, counted));
});

describe('which moves are news', () => {
  const key = commandKey('a-1');
  const perform = { kind: 'perform', key, command: 'take', input: {} } as unknown as Move;
  const wait: Move = { kind: 'wait', key, until: at(5), why: '' };
  const ask: Move = { kind: 'ask', key, question: '?' };
  const softly: Move = { kind: 'cancel', key, how: 'ask' };
  const firmly: Move = { kind: 'cancel', key, how: 'kill' };
  const finish: Move = { kind: 'finish', outcome: { kind: 'failed', reason: 'x' } };
  const cases: [why: string, events: NewRunEvent[], moves: Move[], fresh: Move[]][] = [
    ['a key that was never used', [], [perform], [perform]],
    ['not one that is open', [begun('a-1')], [perform, wait, ask], []],
    ['nor one that has ended', [begun('a-1'), ended('a-1')], [perform, wait, ask], []],
    ['a thing said twice is done once', [], [perform, perform, wait], [perform]],
    ['calling off what is open', [begun('a-1')], [softly], [softly]],
    ['not what never began', [], [softly, firmly], []],
    ['not what has ended', [begun('a-1'), ended('a-1')], [firmly], []],
    ['not in the same way again', [begun('a-1'), cancelled('a-1', 'ask')], [softly], []],
    ['but more firmly', [begun('a-1'), cancelled('a-1', 'ask')], [firmly], [firmly]],
    ['never more softly', [begun('a-1'), cancelled('a-1', 'kill')], [softly, firmly], []],
    ['one way at a time', [begun('a-1')], [firmly, softly], [firmly]],
    ['the end, once', [], [finish, finish], [finish]],
    ['not after it', [finished], [finish], []],
  ];
  for (const [why, events, moves, fresh] of cases)
    test(why, () => assert.deepEqual(freshMoves(ledgerOf(...events), moves), fresh));
});
