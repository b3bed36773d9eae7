import type { Detector } from '../anomaly.ts';
import type { PastFailure, WatchHistory } from '../watch-history.ts';
import { failureKey } from '../watch-history.ts';
import { describeCall, isIterating } from './diversity-gate.ts';

/** The same call fails in the same way again and again. A success or an edit in between resets the count. */
export const detectLoop: Detector = ({ history, thresholds }) => {
  const streak = longestLoop(history);
  const last = streak.at(-1);
  if (last === undefined || streak.length < thresholds['loop.repeats']) return null;
  return {
    detector: 'loop',
    words: `The same call failed ${streak.length} times with the same error (${last.error}): ${describeCall(last)}.`,
    action: 'Do not repeat it; find out why it fails, or reach the goal another way.',
    since: streak[0]?.turn ?? last.turn,
  };
};

/** The last failures that are the same. None: the agent tries different things. */
export function longestLoop({ failures }: WatchHistory): readonly PastFailure[] {
  const last = failures.at(-1);
  if (last === undefined || isIterating(failures)) return [];
  const key = failureKey(last);
  return failures.slice(failures.findLastIndex((one) => failureKey(one) !== key) + 1);
}
