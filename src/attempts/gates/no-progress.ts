/**
 * Finds an agent that gets nowhere: it reports that it is done, a gate is red, and no file has changed. The first time,
 * the agent is told so in the report about the gate. If it changes nothing after that either, being told a third time
 * would cost an attempt and change as little.
 */
import { plural } from '../../base/text.ts';
import { NO_PROGRESS } from '../../protocol/outcome.ts';
import type { AttemptsState } from '../attempts-state.ts';
import type { PastAttempt } from '../past-attempt.ts';

/** How many attempts in a row an agent may end without a change. */
const UNCHANGED_MAX = 2;

type Judged = Pick<AttemptsState, 'past' | 'baseline' | 'instructedAfter'>;

/** Whether the last attempts of this agent, all of them done, left the files as they were since a person's last message. */
export function isStuck(state: Judged, identity: string): boolean {
  const { past, instructedAfter = 0 } = state;
  const since = past.filter(({ number }) => number > instructedAfter).length;
  return Math.min(since, unchangedInARow(state, identity)) >= UNCHANGED_MAX;
}

/** How many attempts at the end of the run changed nothing. With an identity, only those of that agent. */
export function unchangedInARow(state: Judged, identity?: string): number {
  const { past } = state;
  const isPart = (one: PastAttempt, place: number): boolean =>
    one.kind === 'completed' &&
    (identity === undefined || one.identity === identity) &&
    isUnchanged(state, place);
  return past.length - 1 - past.findLastIndex((one, place) => !isPart(one, place));
}

export function describeUnchanged(count: number): string {
  return `${NO_PROGRESS}: the last ${plural(count, 'attempt')} changed no file`;
}

/** Compared with the last files that are known. If none are, the attempt itself says how many files differ from the base. */
function isUnchanged({ past, baseline }: Judged, place: number): boolean {
  const one = past[place];
  if (one === undefined || one.content === null) return false;
  const before =
    past.slice(0, place).findLast(({ content }) => content !== null)?.content ??
    baseline.results[0]?.content ??
    null;
  return before === null ? one.files === 0 : one.content === before;
}
