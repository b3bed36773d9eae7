import type { Anomaly, Detector } from '../anomaly.ts';
import type { PastFailure } from '../past-calls.ts';
import type { WatchHistory } from '../watch-history.ts';
import { failureKey } from '../past-calls.ts';
import { describeCall, isIterating } from './diversity-gate.ts';

/** A failure that is older is over, as far as this check knows. */
const RECENT_TURNS = 3;

/**
 * The same call fails in the same way again and again. A success or an edit in between resets the count. Looks in
 * between do so only for half as many failures: who only looks has changed nothing.
 */
export const detectLoop: Detector = ({ history, thresholds }) => {
  const streak = longestLoop(history);
  const last = streak.at(-1);
  if (last !== undefined && streak.length >= thresholds['loop.repeats'])
    return loopOf(last, streak.length, streak[0]?.turn ?? last.turn);
  const slow = [...history.repeated.values()].at(-1);
  if (slow === undefined || slow.times < 2 * thresholds['loop.repeats']) return null;
  if (history.turn - slow.failure.turn >= RECENT_TURNS) return null;
  return loopOf(slow.failure, slow.times, slow.first);
};

function loopOf(failure: PastFailure, times: number, since: number): Anomaly {
  return {
    detector: 'loop',
    words: `The same call failed ${times} times with the same error (${failure.error}): ${describeCall(failure)}.`,
    action: 'Do not repeat it; find out why it fails, or reach the goal another way.',
    since,
  };
}

/** The last failures that are the same. None: the agent tries different things. */
export function longestLoop({ failures }: WatchHistory): readonly PastFailure[] {
  const last = failures.at(-1);
  if (last === undefined || isIterating(failures)) return [];
  const key = failureKey(last);
  return failures.slice(failures.findLastIndex((one) => failureKey(one) !== key) + 1);
}
