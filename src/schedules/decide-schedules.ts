/** Which schedules are due, from what is on record and the clock. The same facts at the same time give the same moves. */
import { lastTime, nextTime } from './cron-times.ts';
import type { ScheduledRun } from './schedule-state.ts';

/** A time that was reached this long ago was missed: no owner ran then, or the machine slept. */
const MISSED_AFTER_MS = 5 * 60_000;
/** A clock that was set back further than this was wrong before, so what it decided does not count. */
const SET_BACK_MS = 24 * 3_600_000;

export type ScheduleMove = { readonly schedule: ScheduledRun; readonly due: number } & (
  | { readonly kind: 'start' }
  /** An owner that died has submitted it. */
  | { readonly kind: 'record'; readonly run: string }
  | { readonly kind: 'skip'; readonly because: 'missed' | 'still-running' }
);

export type ScheduleFacts = {
  readonly schedules: Iterable<ScheduledRun>;
  /** The runs of schedules that have not ended. */
  readonly open: ReadonlySet<string>;
  /** By the name of a schedule: the run that was submitted for the time that is begun. */
  readonly submitted: ReadonlyMap<string, string>;
  readonly now: number;
};

export function decideSchedules(facts: ScheduleFacts): {
  readonly moves: readonly ScheduleMove[];
  /** When something is due next. Null: never. */
  readonly nextAt: number | null;
} {
  const all = [...facts.schedules];
  const times = all.flatMap((schedule) => nextDue(schedule, facts.now) ?? []);
  return {
    moves: all.flatMap((schedule) => moveOf(schedule, facts) ?? []),
    nextAt: times.length === 0 ? null : Math.min(...times),
  };
}

function moveOf(schedule: ScheduledRun, facts: ScheduleFacts): ScheduleMove | undefined {
  const { begun, missed, last, name } = schedule;
  const { open, submitted, now } = facts;
  const run = submitted.get(name);
  if (begun !== null && run !== undefined) return { kind: 'record', schedule, due: begun, run };
  const due = begun ?? lastTime(schedule, now);
  if (due === undefined || due <= decidedUntil(schedule, now)) return undefined;
  if (now - due > MISSED_AFTER_MS && missed === 'skip')
    return { kind: 'skip', schedule, due, because: 'missed' };
  // A run that takes longer than its period would otherwise pay for a second agent on the same task.
  const isRunning = last !== null && last.run !== null && open.has(last.run);
  if (isRunning) return { kind: 'skip', schedule, due, because: 'still-running' };
  return { kind: 'start', schedule, due };
}

/** When it is due next. Undefined: never again. */
export function nextDue(schedule: ScheduledRun, now: number): number | undefined {
  return nextTime(schedule, Math.max(now, decidedUntil(schedule, now)));
}

function decidedUntil(schedule: ScheduledRun, now: number): number {
  const { decidedUntil: until } = schedule;
  return until - now > SET_BACK_MS ? 0 : until;
}
