/** Starts the runs of schedules when they are due. What to do is decided from facts; this waits and does it. */
import type { Clock } from '../../base/clock.ts';
import { at } from '../../base/clock.ts';
import { Refusal, describeError, isRefusal } from '../../base/errors.ts';
import { oneLine, truncate } from '../../base/text.ts';
import { describeRefusal } from '../../execution/refusal-outcome.ts';
import type { NewScheduleEvent } from '../../protocol/event.ts';
import { SCHEDULE_WHY_MAX } from '../../protocol/event.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type { ScheduleFacts, ScheduleMove } from '../../schedules/decide-schedules.ts';
import { decideSchedules } from '../../schedules/decide-schedules.ts';
import type { ScheduledRun } from '../../schedules/schedule-state.ts';
import type { ScheduleStore } from './schedule-store.ts';

type ScheduleRunnerPorts = {
  readonly clock: Clock;
  readonly store: ScheduleStore;
  /** The run that was submitted with this key. */
  readonly findRun: (key: string) => Promise<string | undefined>;
  readonly isOpen: (run: string) => Promise<boolean>;
  /** Resolves with the new run. Refuses what `supervisor run` refuses. */
  readonly submit: (schedule: ScheduledRun, mark: RequestMark) => Promise<string>;
};

/** If nothing is ever due. A change ends the wait. */
const DAY_MS = 24 * 3_600_000;

export async function runSchedules(ports: ScheduleRunnerPorts, signal: AbortSignal): Promise<void> {
  const { clock, store } = ports;
  while (!signal.aborted) {
    const { changed } = store; // taken before the state is read, so that no change is missed
    const { moves, nextAt } = decideSchedules(await factsOf(ports));
    for (const move of moves) await perform(ports, move, signal);
    if (moves.length > 0) continue;
    const wake = AbortSignal.any([signal, changed]);
    await (nextAt === null ? clock.sleep(DAY_MS, wake) : clock.sleepUntil(at(nextAt), wake));
  }
}

async function factsOf(ports: ScheduleRunnerPorts): Promise<ScheduleFacts> {
  const schedules = [...ports.store.schedules.values()];
  const open = new Set<string>();
  const submitted = new Map<string, string>();
  for (const schedule of schedules) {
    const { begun, last, name } = schedule;
    if (last?.run != null && (await ports.isOpen(last.run))) open.add(last.run);
    const run = begun === null ? undefined : await ports.findRun(markOf(schedule, begun).key);
    if (run !== undefined) submitted.set(name, run);
  }
  return { schedules, open, submitted, now: ports.clock.now() };
}

/** The key makes a run that was submitted by an owner that died known to the next one. */
function markOf({ name, addedAt }: ScheduledRun, due: number): RequestMark {
  return { key: `schedule-${name}-${addedAt}-${due}`, digest: 'schedule' };
}

async function perform(
  ports: ScheduleRunnerPorts,
  move: ScheduleMove,
  signal: AbortSignal,
): Promise<void> {
  const { store } = ports;
  const { schedule, due } = move;
  const { name } = schedule;
  // It may have been removed meanwhile.
  if (signal.aborted || store.schedules.get(name) !== schedule) return;
  if (move.kind === 'skip')
    return store.change(() => [
      { type: 'schedule.skipped', payload: { name, due, because: move.because } },
    ]);
  if (move.kind === 'record')
    return store.change(() => [
      { type: 'schedule.started', payload: { name, due, run: move.run } },
    ]);
  await store.change(() => [{ type: 'schedule.begun', payload: { name, due } }]);
  const result = await submit(ports, schedule, due, signal);
  if (result !== undefined) await store.change(() => [result]);
}

/** Undefined: the owner closes, and the next one looks whether the run was submitted. */
async function submit(
  ports: ScheduleRunnerPorts,
  schedule: ScheduledRun,
  due: number,
  signal: AbortSignal,
): Promise<NewScheduleEvent | undefined> {
  const { name } = schedule;
  try {
    const run = await ports.submit(schedule, markOf(schedule, due));
    return { type: 'schedule.started', payload: { name, due, run } };
  } catch (error) {
    if (signal.aborted) return undefined;
    // Its supervisor starts it again when the engine is there.
    if (isRefusal(error, 'owner.closing')) throw error;
    // Any other error is of this run alone, and the times of other schedules must not wait for it.
    const why = truncate(oneLine(reasonOf(error)), SCHEDULE_WHY_MAX);
    return { type: 'schedule.refused', payload: { name, due, why } };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Refusal ? describeRefusal(error) : describeError(error);
}
