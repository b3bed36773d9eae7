import type { Detector } from '../anomaly.ts';
import { failureKey } from '../past-calls.ts';
import { describeCall } from './diversity-gate.ts';

/** A row of failures seemed to be over, and the same failure came back within a few turns. */
export const detectFalseRecovery: Detector = ({ history: { failures, recovery }, thresholds }) => {
  const again = failures.at(-1);
  if (recovery === null || again === undefined) return null;
  const isSame = failureKey(again) === failureKey(recovery.failure);
  if (!isSame || again.turn - recovery.turn > thresholds['false-recovery.turns']) return null;
  return {
    detector: 'false-recovery',
    words: `A failure came back right after it seemed to be solved: ${describeCall(again)}.`,
    action: 'Its cause is still there; find the cause before you try again.',
    since: recovery.turn,
  };
};
