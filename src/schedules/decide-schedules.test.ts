import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScheduleEvent } from '../protocol/event.ts';
import { decideSchedules } from './decide-schedules.ts';
import type { ScheduledRun, Schedules } from './schedule-state.ts';
import { foldSchedules } from './schedule-state.ts';

const at = (text: string): number => Date.parse(`2026-11-${text}:00Z`);

const NIGHTLY: ScheduledRun = {
  ...{ name: 'nightly', cron: '0 2 * * *', timeZone: 'UTC', missed: 'run' },
  ...{ runRequest: { task: 'x' }, addedAt: at('18T12:00') },
  ...{ decidedUntil: at('18T12:00'), begun: null, last: null },
};
const SKIPS: ScheduledRun = { ...NIGHTLY, missed: 'skip' };
const started = (run: string): ScheduledRun['last'] => ({
  ...{ due: at('18T02:00'), result: 'started', run, why: null },
});

/** `start 19T02:00`. */
function decided(
  schedule: ScheduledRun,
  now: string,
  facts: { readonly open?: readonly string[]; readonly submitted?: string } = {},
): readonly string[] {
  const { open = [], submitted } = facts;
  const found = decideSchedules({
    ...{ schedules: [schedule], now: at(now), open: new Set(open) },
    submitted: new Map(submitted === undefined ? [] : [[schedule.name, submitted]]),
  });
  return found.moves.map((move) => {
    const because = move.kind === 'skip' ? ` ${move.because}` : '';
    return `${move.kind} ${new Date(move.due).toISOString().slice(8, 16)}${because}`;
  });
}

describe('a schedule', () => {
  const rows: [why: string, given: Parameters<typeof decided>, expected: string[]][] = [
    ['is not due before its time', [NIGHTLY, '19T01:59'], []],
    ['is due at its time', [NIGHTLY, '19T02:00'], ['start 19T02:00']],
    ['that skips is due at its time', [SKIPS, '19T02:04'], ['start 19T02:00']],
    ['runs once for a missed time', [NIGHTLY, '19T09:00'], ['start 19T02:00']],
    ['runs once for many missed times', [NIGHTLY, '25T09:00'], ['start 25T02:00']],
    ['that skips runs for no missed time', [SKIPS, '25T09:00'], ['skip 25T02:00 missed']],
    [
      'that skips runs at its time, also after missed ones',
      [SKIPS, '25T02:01'],
      ['start 25T02:00'],
    ],
    ['has decided about a time', [{ ...NIGHTLY, decidedUntil: at('19T02:00') }, '20T01:59'], []],
    [
      'whose last run still works is skipped',
      [{ ...NIGHTLY, last: started('a') }, '19T02:00', { open: ['a'] }],
      ['skip 19T02:00 still-running'],
    ],
    [
      'whose last run has ended is due',
      [{ ...NIGHTLY, last: started('a') }, '19T02:00', { open: ['b'] }],
      ['start 19T02:00'],
    ],
    [
      'whose owner died after it submitted the run has started it',
      [{ ...SKIPS, begun: at('19T02:00') }, '19T09:00', { submitted: 'a' }],
      ['record 19T02:00'],
    ],
    [
      'whose owner died before it submitted the run begins again',
      [{ ...NIGHTLY, begun: at('19T02:00') }, '20T09:00'],
      ['start 19T02:00'],
    ],
    [
      'that skips, and whose owner died before it submitted the run, was missed',
      [{ ...SKIPS, begun: at('19T02:00') }, '19T09:00'],
      ['skip 19T02:00 missed'],
    ],
    [
      'waits if the clock is set back by an hour',
      [{ ...NIGHTLY, decidedUntil: at('19T02:00') }, '19T01:30'],
      [],
    ],
    [
      'does not wait for years if the clock was wrong by years',
      [{ ...NIGHTLY, decidedUntil: Date.parse('2099-01-01T00:00Z') }, '19T02:00'],
      ['start 19T02:00'],
    ],
  ];
  for (const [why, given, expected] of rows)
    test(why, () => assert.deepEqual(decided(...given), expected));

  test('says when one of them is due next', () => {
    const weekly: ScheduledRun = { ...NIGHTLY, name: 'weekly', cron: '0 6 * * 1' };
    const at2 = decideSchedules({
      ...{ schedules: [weekly, NIGHTLY], now: at('20T12:00') },
      ...{ open: new Set(), submitted: new Map() },
    });
    assert.deepEqual(at2.nextAt, at('21T02:00'));
    const none = decideSchedules({ schedules: [], open: new Set(), submitted: new Map(), now: 0 });
    assert.deepEqual(none, { moves: [], nextAt: null });
  });
});

describe('the facts of schedules', () => {
  const fold = (...facts: readonly Pick<ScheduleEvent, 'type' | 'payload'>[]): Schedules =>
    facts.reduce<Schedules>(
      (state, fact) => foldSchedules(state, { ...fact, at: at('18T12:00') } as ScheduleEvent),
      new Map(),
    );
  const { name, cron, timeZone, missed, runRequest } = NIGHTLY;
  const added = {
    type: 'schedule.added',
    payload: { name, cron, timeZone, missed, runRequest },
  } as const;
  const due = at('19T02:00');

  test('keep the run that may still work when a time is skipped', () => {
    const state = fold(
      added,
      { type: 'schedule.begun', payload: { name, due } },
      { type: 'schedule.started', payload: { name, due, run: 'a' } },
      { type: 'schedule.skipped', payload: { name, due: due + 1, because: 'still-running' } },
    );
    assert.deepEqual(state.get(name), {
      ...NIGHTLY,
      decidedUntil: due + 1,
      last: { due: due + 1, result: 'still-running', run: 'a', why: null },
    });
  });

  test('of a schedule that was removed meanwhile change nothing', () => {
    const state = fold(
      added,
      { type: 'schedule.begun', payload: { name, due } },
      { type: 'schedule.removed', payload: { name } },
      { type: 'schedule.refused', payload: { name, due, why: 'no key' } },
    );
    assert.deepEqual(state, new Map());
  });
});
