import type { Detector } from '../anomaly.ts';
import { describeCall, failureKey, isIterating } from './diversity-gate.ts';

/** The same call fails in the same way again and again. A success or an edit in between resets the count. */
export const detectLoop: Detector = ({ history: { failures }, thresholds }) => {
  const last = failures.at(-1);
  if (last === undefined || isIterating(failures)) return null;
  const key = failureKey(last);
  const different = failures.findLastIndex((one) => failureKey(one) !== key);
  const streak = failures.slice(different + 1);
  if (streak.length < thresholds['loop.repeats']) return null;
  return {
    detector: 'loop',
    words: `The same call failed ${streak.length} times with the same error (${last.error}): ${describeCall(last)}.`,
    action: 'Do not repeat it; find out why it fails, or reach the goal another way.',
    since: streak[0]?.turn ?? last.turn,
  };
};
