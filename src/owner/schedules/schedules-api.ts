/** Runs at set times: lists them, adds and removes one, and starts them when they are due. */
import { plural } from '../../base/text.ts';
import { Refusal } from '../../base/errors.ts';
import { RunRequest } from '../../protocol/api.ts';
import type { RunEnvironment } from '../../protocol/run-environment.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type {
  AddScheduleRequest,
  RemoveScheduleRequest,
  ScheduleView,
} from '../../protocol/views/schedule-view.ts';
import { SCHEDULES_MAX } from '../../protocol/views/schedule-view.ts';
import { checkCronTime } from '../../schedules/cron-times.ts';
import { nextDue } from '../../schedules/decide-schedules.ts';
import type { ScheduledRun, Schedules } from '../../schedules/schedule-state.ts';
import type { ScheduleStore } from './schedule-store.ts';

/** Resolves with the new run. Refuses what `supervisor run` refuses. */
export type SubmitScheduled = (
  request: RunRequest,
  mark: RequestMark,
  environment: RunEnvironment | undefined,
) => Promise<{ readonly id: string }>;

type SchedulesPorts = {
  readonly store: () => ScheduleStore;
  readonly now: () => number;
  readonly submit: SubmitScheduled;
};

export class SchedulesApi {
  readonly #ports: SchedulesPorts;
  /** What the shells of the commands gave, in memory only. The runs of a later owner use what that one has. */
  readonly #environments = new Map<string, RunEnvironment>();

  constructor(ports: SchedulesPorts) {
    this.#ports = ports;
  }

  list(): readonly ScheduleView[] {
    const now = this.#ports.now();
    return [...this.#ports.store().schedules.values()].map((one) => toView(one, now));
  }

  /** Refuses a name that is taken, and a time that is none. */
  async add(
    { name: wanted, cron, timeZone, missed = 'run', run }: AddScheduleRequest,
    environment: RunEnvironment | undefined,
  ): Promise<ScheduleView> {
    const now = this.#ports.now();
    checkCronTime({ cron, timeZone }, now);
    let name = '';
    const store = this.#ports.store();
    await store.change((schedules) => {
      if (schedules.size >= SCHEDULES_MAX) throw tooMany();
      name = wanted ?? freeName(schedules);
      if (schedules.has(name)) throw nameTaken(name);
      if (environment !== undefined) this.#environments.set(name, environment);
      return [
        { type: 'schedule.added', payload: { name, cron, timeZone, missed, runRequest: run } },
      ];
    });
    return this.#view(store, name, now);
  }

  /** Resolves with it as it was. The run that it has started continues. */
  async remove({ name }: RemoveScheduleRequest): Promise<ScheduleView> {
    const store = this.#ports.store();
    const view = this.#view(store, name, this.#ports.now());
    await store.change((schedules) =>
      schedules.has(name) ? [{ type: 'schedule.removed', payload: { name } }] : [],
    );
    this.#environments.delete(name);
    return view;
  }

  /** Submits the run of a schedule that is due. */
  async submit({ name, runRequest }: ScheduledRun, mark: RequestMark): Promise<string> {
    const checked = RunRequest.parse(runRequest);
    return (await this.#ports.submit(checked, mark, this.#environments.get(name))).id;
  }

  #view(store: ScheduleStore, name: string, now: number): ScheduleView {
    const schedule = store.schedules.get(name);
    if (schedule === undefined) throw notFound(name, [...store.schedules.keys()]);
    return toView(schedule, now);
  }
}

function toView(schedule: ScheduledRun, now: number): ScheduleView {
  const { name, cron, timeZone, missed, addedAt, last, runRequest } = schedule;
  const { task, project } = runRequest;
  return {
    ...{ name, cron, timeZone, missed, addedAt, last },
    ...{ task: String(task), project: String(project) },
    nextAt: nextDue(schedule, now) ?? null,
  };
}

function freeName(schedules: Schedules): string {
  let number = 1;
  while (schedules.has(`schedule-${number}`)) number += 1;
  return `schedule-${number}`;
}

function nameTaken(name: string): Refusal {
  return new Refusal({
    code: 'schedule.name-taken',
    message: `There is a schedule ${name} already.`,
    hint: `Use another --name, or remove it first: supervisor schedule remove ${name}`,
  });
}

function tooMany(): Refusal {
  return new Refusal({
    code: 'schedule.too-many',
    message: `There are ${plural(SCHEDULES_MAX, 'schedule')} already, and no more fit.`,
    hint: 'Remove one with: supervisor schedule remove NAME',
  });
}

function notFound(name: string, known: readonly string[]): Refusal {
  return new Refusal({
    code: 'schedule.not-found',
    message: `There is no schedule ${JSON.stringify(name)}.`,
    hint:
      known.length === 0
        ? 'Add one with: supervisor schedule add "0 2 * * *" -- run "…"'
        : `Use one of: ${known.join(', ')}`,
  });
}
