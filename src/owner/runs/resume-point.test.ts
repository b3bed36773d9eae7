import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewRunEvent, RunEvent } from '../../protocol/event.ts';
import {
  begun,
  ended,
  finished,
  noted,
  submitted,
} from '../../testing/conformance/journal-events.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { isResumable, nothingToResume, resumePoint } from './resume-point.ts';

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

const lost = { kind: 'lost' } as const;
const stop: NewRunEvent = { type: 'signal.received', payload: { signal: { kind: 'stop' } } };
const kill: NewRunEvent = { type: 'signal.received', payload: { signal: { kind: 'kill' } } };
const retry: NewRunEvent = { type: 'signal.received', payload: { signal: { kind: 'retry-now' } } };

const gate: NewRunEvent = {
  type: 'command.begun',
  payload: { key: 'gate-1-0', command: 'gate', input: {}, limits: [] },
};

const tidying = begun('f1', 'finalize');

describe('a run that ended badly goes on', () => {
  const cases: [why: string, history: NewRunEvent[], point: number | undefined][] = [
    [
      'from before the attempt that failed',
      [submitted(), begun('a1'), noted('a1', ''), ended('a1'), finished()],
      1,
    ],
    [
      'from before the attempt that a stop cut short',
      [submitted(), begun('a1'), stop, ended('a1'), finished()],
      1,
    ],
    [
      'from before the first stop, when a kill followed',
      [submitted(), begun('a1'), stop, kill, ended('a1'), finished()],
      1,
    ],
    [
      'from before a stop that came while nothing was open',
      [submitted(), begun('a1'), ended('a1', lost), stop, finished()],
      3,
    ],
    ['from before it had begun at all', [submitted(), stop, finished()], 1],
    [
      'with the losses before the last one counted',
      [submitted(), begun('a1'), ended('a1', lost), begun('a2'), ended('a2', lost), finished()],
      3,
    ],
    [
      'from before the oldest that was open beside what decided',
      [submitted(), begun('a1'), begun('a2'), ended('a2'), stop, ended('a1'), finished()],
      1,
    ],
    [
      'wherever other signals fell',
      [submitted(), retry, begun('a1'), retry, ended('a1'), finished()],
      2,
    ],
    [
      'from before the attempt that a red gate judged',
      [submitted(), begun('a1', 'attempt'), ended('a1'), gate, ended('gate-1-0'), finished()],
      1,
    ],
    [
      'from before the attempt that a limit ended, and not from before that was written down',
      [submitted(), begun('a1', 'attempt'), ended('a1'), begun('c1', 'cool'), ended('c1')],
      1,
    ],
    [
      'from before the attempt that failed, and not from before the tidying',
      [submitted(), begun('a1', 'attempt'), ended('a1'), tidying, ended('f1'), finished()],
      1,
    ],
    [
      'from there also when a stop came while it was tidied up',
      [submitted(), begun('a1', 'attempt'), ended('a1'), tidying, stop, ended('f1'), finished()],
      1,
    ],
    [
      'nowhere, when nothing was decided that could be undone',
      [submitted(), finished()],
      undefined,
    ],
  ];
  for (const [why, history, point] of cases) {
    test(why, async () => assert.equal(await resumePoint(stored(history)), point));
  }
});

describe('what may be taken up', () => {
  const cases: [program: string, kind: 'failed' | 'cancelled' | 'succeeded', boolean][] = [
    ['attempts', 'failed', true],
    ['attempts', 'cancelled', true],
    ['attempts', 'succeeded', false],
    ['life', 'failed', false],
    ['life', 'cancelled', false],
  ];
  for (const [program, kind, may] of cases)
    test(`${program}, ${kind}: ${may ? 'yes' : 'no'}`, () => {
      const view = { id: 'a', program } as RunView;
      assert.equal(isResumable(view, { kind, reason: '' }), may);
    });

  test('a body says that it is one', () => {
    const { message } = nothingToResume({ id: 'a', program: 'life' } as RunView, {
      kind: 'cancelled',
      reason: '',
    });
    assert.equal(message, 'Run a was a long-lived agent, which stays as it ended (cancelled).');
  });
});
