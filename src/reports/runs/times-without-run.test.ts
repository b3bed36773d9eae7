import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScheduleEvent } from '../../protocol/event.ts';
import { describeTimeWithoutRun, timesWithoutRun } from './times-without-run.ts';

type Fact = Pick<ScheduleEvent, 'type' | 'payload'>;

const refused = (name: string, due: number, why: string): Fact => ({
  type: 'schedule.refused',
  payload: { name, due, why },
});
const skipped = (name: string, due: number, because: 'missed' | 'still-running'): Fact => ({
  type: 'schedule.skipped',
  payload: { name, due, because },
});

/** Each at its time. */
function found(...facts: readonly Fact[]): readonly string[] {
  const stored = facts.map((fact) => {
    const at = 'due' in fact.payload ? fact.payload.due : 0;
    return { ...fact, at } as ScheduleEvent;
  });
  return timesWithoutRun(stored, 100).map(
    (one) => `${one.due} ${one.times}× ${describeTimeWithoutRun(one)}`,
  );
}

test('times of schedules without a run are counted by their reason, the newest first', () => {
  assert.deepEqual(
    found(
      refused('old', 99, 'no key'),
      refused('nightly', 100, 'no key'),
      skipped('hourly', 110, 'still-running'),
      { type: 'schedule.started', payload: { name: 'hourly', due: 120, run: 'a' } },
      refused('nightly', 130, 'no key'),
      skipped('nightly', 140, 'missed'),
    ),
    [
      '140 1× schedule nightly started no run: no owner ran at its time',
      '130 2× schedule nightly started no run: no key',
      '110 1× schedule hourly started no second run: the last one still worked',
    ],
  );
});

test('times of schedules without a run are bounded', () => {
  const facts = Array.from({ length: 30 }, (_, nth) => refused('a', 100 + nth, `reason ${nth}`));
  assert.equal(found(...facts).length, 20);
});
