import type { Detector } from '../anomaly.ts';
import { describeCall, failureKey, isIterating } from './diversity-gate.ts';

/** Two calls fail in turn: A, B, A, B. */
export const detectOscillation: Detector = ({ history: { failures }, thresholds }) => {
  const last = failures.slice(-2 * thresholds['oscillation.rounds']);
  const [first, second] = last;
  if (first === undefined || second === undefined || isIterating(failures)) return null;
  if (last.length < 2 * thresholds['oscillation.rounds']) return null;
  const keys = [failureKey(first), failureKey(second)];
  if (keys[0] === keys[1] || last.some((one, nth) => failureKey(one) !== keys[nth % 2]))
    return null;
  return {
    detector: 'oscillation',
    words: `Two calls fail in turn: ${describeCall(first)}, and ${describeCall(second)}.`,
    action: 'Stop alternating between them, and look for the cause that they share.',
    since: first.turn,
  };
};
