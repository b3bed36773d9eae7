/**
 * The schedules of the owner. Their store opens and closes with the engine. The clock that starts their runs is a branch
 * of the owner's tree.
 */
import type { Clock } from '../../base/clock.ts';
import { runOfStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import { unavailable } from '../component.ts';
import { monitorChild } from '../monitors/monitor-child.ts';
import type { OwnerBranch } from '../owner-tree.ts';
import { runSchedules } from './schedule-runner.ts';
import { ScheduleStore } from './schedule-store.ts';
import type { SubmitScheduled } from './schedules-api.ts';
import { SchedulesApi } from './schedules-api.ts';

type OpenState = { readonly journal: Journal; readonly store: ScheduleStore };

export class SchedulesComponent {
  readonly api: SchedulesApi;
  readonly #clock: Clock;
  #open: OpenState | undefined;

  constructor(clock: Clock, submit: SubmitScheduled) {
    this.#clock = clock;
    const store = (): ScheduleStore => this.#state.store;
    this.api = new SchedulesApi({ store, now: () => clock.now(), submit });
  }

  async open(journal: Journal): Promise<void> {
    this.#open = { journal, store: await ScheduleStore.open({ journal, clock: this.#clock }) };
  }

  close(): void {
    this.#open = undefined;
  }

  /** Whether a run starts at a set time, for which an owner must be there. */
  get isWaiting(): boolean {
    return (this.#open?.store.schedules.size ?? 0) > 0;
  }

  branch(): OwnerBranch {
    const clock = monitorChild('clock', (signal) => {
      const { journal, store } = this.#state;
      return runSchedules(
        {
          ...{ clock: this.#clock, store },
          findRun: async (key) => {
            const fact = await journal.findRequest(key);
            return fact === undefined ? undefined : runOfStream(fact.stream);
          },
          isOpen: async (run) => (await journal.run(run))?.endedAt === null,
          submit: (schedule, mark) => this.api.submit(schedule, mark),
        },
        signal,
      );
    });
    return { id: 'schedules', children: [clock] };
  }

  get #state(): OpenState {
    return this.#open ?? unavailable('The store of schedules');
  }
}
