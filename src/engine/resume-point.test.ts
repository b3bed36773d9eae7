import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewRunEvent, RunEvent } from '../protocol/event.ts';
import { begun, ended, finished, noted, submitted } from '../testing/conformance/journal-events.ts';
import { resumePoint } from './resume-point.ts';
import { runEvent } from '../../test/support/run-event.ts';

function stored(events: readonly NewRunEvent[]): RunEvent[] {
  return events.map((event, at) => ({
    ...event,
    id: at + 1,
    stream: 'run/a',
    seq: at + 1,
    v: 1,
    at,
  }));
}

const lost = { kind: 'interrupted' } as const;
const stop: NewRunEvent = { type: 'signal.received', payload: { signal: { kind: 'stop' } } };
const kill: NewRunEvent = { type: 'signal.received', payload: { signal: { kind: 'kill' } } };
const retry: NewRunEvent = { type: 'signal.received', payload: { signal: { kind: 'retry-now' } } };

const gate: NewRunEvent = runEvent({
  type: 'command.begun',
  payload: { key: 'gate-1-0', command: 'gate', input: {}, limits: [] },
});

const child = (key: string): NewRunEvent => begun(key, 'run');
const cancelled = (key: string): NewRunEvent => ({
  type: 'command.cancelled',
  payload: { key, how: 'ask' },
});

const finalizing = begun('f1', 'finalize');

describe('a run that ended badly continues', () => {
  const cases: [why: string, history: NewRunEvent[], point: number | undefined][] = [
    [
      'from before the attempt that failed',
      [submitted(), begun('a1'), noted('a1', ''), ended('a1'), finished()],
      1,
    ],
    [
      'from before the attempt that a stop interrupted',
      [submitted(), begun('a1'), stop, ended('a1'), finished()],
      1,
    ],
    [
      'from before the first stop, if a kill followed',
      [submitted(), begun('a1'), stop, kill, ended('a1'), finished()],
      1,
    ],
    [
      'from before a stop that arrived while no command was open',
      [submitted(), begun('a1'), ended('a1', lost), stop, finished()],
      3,
    ],
    ['from before its first command', [submitted(), stop, finished()], 1],
    [
      'with the earlier interrupted attempts still counted',
      [submitted(), begun('a1'), ended('a1', lost), begun('a2'), ended('a2', lost), finished()],
      3,
    ],
    [
      'from before the oldest command that was open at the decision',
      [submitted(), begun('a1'), begun('a2'), ended('a2'), stop, ended('a1'), finished()],
      1,
    ],
    [
      'regardless of other signals',
      [submitted(), retry, begun('a1'), retry, ended('a1'), finished()],
      2,
    ],
    [
      'from before the attempt that a red gate checked',
      [submitted(), begun('a1', 'attempt'), ended('a1'), gate, ended('gate-1-0'), finished()],
      1,
    ],
    [
      'from before the attempt that a limit ended, and not from before the cooldown was recorded',
      [submitted(), begun('a1', 'attempt'), ended('a1'), begun('c1', 'set-cooldown'), ended('c1')],
      1,
    ],
    [
      'from before the attempt that failed, and not from before the finalization',
      [submitted(), begun('a1', 'attempt'), ended('a1'), finalizing, ended('f1'), finished()],
      1,
    ],
    [
      'from there also if a stop arrived during the finalization',
      [submitted(), begun('a1', 'attempt'), ended('a1'), finalizing, stop, ended('f1'), finished()],
      1,
    ],
    [
      'with a child run that ended badly still open',
      [submitted(), child('c1'), child('c2'), ended('c1'), ended('c2'), finished()],
      4,
    ],
    [
      'from before the end of the child for which the others were cancelled',
      [submitted(), child('c1'), child('c2'), ended('c1'), cancelled('c2'), ended('c2')],
      3,
    ],
    [
      'from the last end, if the run went on after it had cancelled a child',
      [
        ...[submitted(), child('c1'), child('c2'), ended('c1'), cancelled('c2'), ended('c2')],
        ...[begun('a1'), ended('a1'), finished()],
      ],
      6,
    ],
    [
      'from before the stop, with its child run still open',
      [submitted(), child('c1'), stop, cancelled('c1'), ended('c1'), finished()],
      2,
    ],
    [
      'not at all, if there is no decision that could be undone',
      [submitted(), finished()],
      undefined,
    ],
  ];
  for (const [why, history, point] of cases) {
    test(why, async () => assert.equal(await resumePoint(stored(history)), point));
  }
});
