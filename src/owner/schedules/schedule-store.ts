/** The schedules of a home, stored as events of a stream of their own. */
import { SCHEDULE_STREAM } from '../../protocol/streams.ts';
import type { NewScheduleEvent } from '../../protocol/event.ts';
import type { KeyedProjection } from '../../limits/keyed-projection.ts';
import { openKeyedProjection } from '../../limits/keyed-projection.ts';
import type { ScheduledRun, Schedules } from '../../schedules/schedule-state.ts';
import { foldSchedules } from '../../schedules/schedule-state.ts';
import type { ProjectionPorts } from '../../store/projection.ts';

export class ScheduleStore {
  readonly #schedules: KeyedProjection<ScheduledRun, typeof SCHEDULE_STREAM>;
  #changed = new AbortController();

  private constructor(schedules: KeyedProjection<ScheduledRun, typeof SCHEDULE_STREAM>) {
    this.#schedules = schedules;
  }

  static async open(ports: ProjectionPorts): Promise<ScheduleStore> {
    return new ScheduleStore(
      await openKeyedProjection<ScheduledRun, typeof SCHEDULE_STREAM>(ports, {
        ...{ stream: SCHEDULE_STREAM, maker: 'schedules@1', fold: foldSchedules },
        idOf: ({ name }) => name,
      }),
    );
  }

  get schedules(): Schedules {
    return this.#schedules.state;
  }

  /** Aborts at the next change. */
  get changed(): AbortSignal {
    return this.#changed.signal;
  }

  async change(decide: (schedules: Schedules) => readonly NewScheduleEvent[]): Promise<void> {
    await this.#schedules.change(decide);
    const before = this.#changed;
    this.#changed = new AbortController();
    before.abort();
  }
}
