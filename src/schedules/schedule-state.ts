/** The schedules of a home, folded from facts. */
import type { ScheduleEvent } from '../protocol/event.ts';
import type { MissedPolicy, ScheduleLast } from '../protocol/views/schedule-view.ts';

export type ScheduledRun = {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly missed: MissedPolicy;
  /** What `supervisor run` sends. It is checked again when it is due. */
  readonly runRequest: Readonly<Record<string, unknown>>;
  readonly addedAt: number;
  /** Everything that was due until then is decided. */
  readonly decidedUntil: number;
  /** A run for this time is about to be submitted, or was, by an owner that died. Null: no. */
  readonly begun: number | null;
  /** Null: it was never due. */
  readonly last: ScheduleLast | null;
};

export type Schedules = ReadonlyMap<string, ScheduledRun>;

export function foldSchedules(schedules: Schedules, event: ScheduleEvent): Schedules {
  const changed = new Map(schedules);
  const { type, payload, at } = event;
  if (type === 'schedule.added') {
    const fresh = { addedAt: at, decidedUntil: at, begun: null, last: null };
    return changed.set(payload.name, { ...payload, ...fresh });
  }
  const before = schedules.get(payload.name);
  if (before === undefined) return schedules; // removed while its run was submitted
  if (type === 'schedule.removed') {
    changed.delete(payload.name);
    return changed;
  }
  const { due } = payload;
  if (type === 'schedule.begun') return changed.set(payload.name, { ...before, begun: due });
  const decided = { ...before, decidedUntil: due, begun: null };
  return changed.set(payload.name, { ...decided, last: lastOf(event, before.last) });
}

type DecidedEvent = Exclude<
  ScheduleEvent,
  { type: 'schedule.added' | 'schedule.removed' | 'schedule.begun' }
>;

/** `before`: a time that was skipped leaves the run that is known, because that one may still work. */
function lastOf({ type, payload }: DecidedEvent, before: ScheduleLast | null): ScheduleLast {
  const { due } = payload;
  switch (type) {
    case 'schedule.started':
      return { due, result: 'started', run: payload.run, why: null };
    case 'schedule.refused':
      return { due, result: 'refused', run: null, why: payload.why };
    case 'schedule.skipped':
      return { due, result: payload.because, run: before?.run ?? null, why: null };
  }
}
