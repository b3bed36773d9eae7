import type { Anomaly, Detector } from '../anomaly.ts';
import type { PastFailure } from '../past-calls.ts';
import { failureKey, turnsOf } from '../past-calls.ts';
import { describeCall, isIterating } from './diversity-gate.ts';

/** Two or three calls fail in turn: A, B, A, B. All of them in one turn are tries side by side, so that takes one more. */
export const detectOscillation: Detector = ({ history: { failures }, thresholds }) => {
  if (isIterating(failures)) return null;
  const rounds = thresholds['oscillation.rounds'];
  return cycleOf(failures, 2, rounds) ?? cycleOf(failures, 3, rounds);
};

function cycleOf(all: readonly PastFailure[], period: number, rounds: number): Anomaly | null {
  const keys = all.map(failureKey);
  const other = keys.findLastIndex(
    (key, nth) => key !== keys[lastOfPhase(nth, all.length, period)],
  );
  const cycle = all.slice(other + 1);
  if (cycle.length < period * rounds || turnsOf(cycle) <= rounds) return null;
  const parts = cycle.slice(0, period);
  if (new Set(parts.map(failureKey)).size < period) return null; // that is a loop
  return {
    detector: 'oscillation',
    words: `${period === 2 ? 'Two' : 'Three'} calls fail in turn: ${listOf(parts.map(describeCall))}.`,
    action: 'Stop alternating between them, and look for the cause that they share.',
    since: cycle[0]?.turn ?? 0,
  };
}

/** The place in the last round that a failure must be equal to. */
function lastOfPhase(nth: number, count: number, period: number): number {
  return count - 1 - ((count - 1 - nth) % period);
}

function listOf(parts: readonly string[]): string {
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1) ?? ''}`;
}
