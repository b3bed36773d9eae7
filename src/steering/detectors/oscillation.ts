import type { Detector } from '../anomaly.ts';
import { failureKey, turnsOf } from '../watch-history.ts';
import { describeCall, isIterating } from './diversity-gate.ts';

/** Two calls fail in turn: A, B, A, B. Both in one turn are two tries side by side, so that takes one turn more. */
export const detectOscillation: Detector = ({ history: { failures }, thresholds }) => {
  const [other, last] = failures.slice(-2);
  if (other === undefined || last === undefined || isIterating(failures)) return null;
  const keys = [failureKey(last), failureKey(other)];
  const strange = failures.findLastIndex(
    (one, nth) => failureKey(one) !== keys[(failures.length - 1 - nth) % 2],
  );
  const streak = failures.slice(strange + 1);
  const rounds = thresholds['oscillation.rounds'];
  if (keys[0] === keys[1] || streak.length < 2 * rounds || turnsOf(streak) <= rounds) return null;
  const [first = last, second = other] = streak;
  return {
    detector: 'oscillation',
    words: `Two calls fail in turn: ${describeCall(first)}, and ${describeCall(second)}.`,
    action: 'Stop alternating between them, and look for the cause that they share.',
    since: first.turn,
  };
};
