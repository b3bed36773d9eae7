/**
 * The time that counts against the time budget of a run. It begins with the first attempt, or with the first run that
 * a workflow starts. Waits for a provider's limit and for a person do not count: the run does nothing then.
 */
import { z } from 'zod';
import type { RunEvent } from '../event.ts';
import { isMoneyQuestion } from './money-question.ts';

export const WallTime = z.strictObject({
  startedAt: z.number(),
  /** How long it has waited since, without the waits that are open. */
  waitedMs: z.number().nonnegative(),
  /** The open waits. Absent: none. */
  waiting: z.strictObject({ since: z.number(), keys: z.array(z.string()) }).exactOptional(),
});
export type WallTime = z.infer<typeof WallTime>;

/** `isTimeSpent`: the run is about to ask for more time. Undefined: the time has not begun. */
export function foldWallTime(
  time: WallTime | undefined,
  event: RunEvent,
  isTimeSpent: boolean,
): WallTime | undefined {
  if (event.type === 'command.begun') {
    const { key, command } = event.payload;
    if (command === 'attempt' || command === 'run')
      return time ?? { startedAt: event.at, waitedMs: 0 };
    if (time === undefined || !isWait(event.payload, isTimeSpent)) return time;
    const { since, keys } = time.waiting ?? { since: event.at, keys: [] };
    return { ...time, waiting: { since, keys: [...keys, key] } };
  }
  if (event.type !== 'command.ended' || time?.waiting === undefined) return time;
  const { waiting, ...rest } = time;
  const keys = waiting.keys.filter((key) => key !== event.payload.key);
  if (keys.length > 0) return { ...rest, waiting: { since: waiting.since, keys } };
  return { ...rest, waitedMs: rest.waitedMs + Math.max(0, event.at - waiting.since) };
}

/** The answer to a question about the time budget adds the time that it took to it, so it is not a wait. */
function isWait(
  begun: Extract<RunEvent, { type: 'command.begun' }>['payload'],
  isTimeSpent: boolean,
): boolean {
  if (begun.command === 'wait') return begun.input.reason === 'cooldown';
  if (begun.command !== 'ask' || begun.input.issue !== undefined) return false;
  return !(isTimeSpent && isMoneyQuestion(begun.input));
}

/** How much of the time budget is used at a moment. */
export function wallSpentMs(time: WallTime | undefined, at: number): number {
  if (time === undefined) return 0;
  const until = time.waiting?.since ?? at;
  return Math.max(0, until - time.startedAt - time.waitedMs);
}

/**
 * When the time of a run would have begun if it had never waited and were one with the runs that it continues. The run
 * must not wait at the moment. A run whose stored view is older than this count has used the time since it was submitted.
 */
export function wallBegunAt({
  submittedAt,
  budget: { time, before },
}: {
  readonly submittedAt: number;
  readonly budget: { readonly time?: WallTime; readonly before: { readonly wallMs: number } };
}): number {
  return (time === undefined ? submittedAt : time.startedAt + time.waitedMs) - before.wallMs;
}
