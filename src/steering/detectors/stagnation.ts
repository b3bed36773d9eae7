import type { Detector } from '../anomaly.ts';
import type { PastSuccess } from '../past-calls.ts';
import type { WatchHistory } from '../watch-history.ts';

const DIFFERENT_MAX = 2;

/**
 * Calls that succeed again and again with the same output. An edit or a wait in between resets the count. Tests that pass
 * again do not count: an agent may look for a flaky one.
 */
export const detectStagnation: Detector = ({ history, thresholds }) => {
  const last = longestStagnation(history).slice(-thresholds['stagnation.calls']);
  const [first] = last;
  if (first === undefined || last.length < thresholds['stagnation.calls']) return null;
  return {
    detector: 'stagnation',
    words: `The last ${last.length} calls of ${first.tool} gave the same output${first.subject === null ? '' : `: ${first.subject}`}.`,
    action: 'Use what you know already, and take the next step.',
    since: first.turn,
  };
};

/** The last calls of one tool with at most two different outputs. */
export function longestStagnation({ successes }: WatchHistory): readonly PastSuccess[] {
  const counted = successes.filter(({ isTestRun }) => !isTestRun);
  const tool = counted.at(-1)?.tool;
  const marks = new Set<string>();
  const other = counted.findLastIndex((one) => {
    marks.add(one.mark);
    return one.tool !== tool || marks.size > DIFFERENT_MAX;
  });
  return oncePerTurn(counted.slice(other + 1));
}

/** Calls of one turn run side by side: the second could not know what the first would say. */
function oncePerTurn(successes: readonly PastSuccess[]): readonly PastSuccess[] {
  return successes.filter(
    ({ turn, mark }, place) =>
      !successes.slice(0, place).some((one) => one.turn === turn && one.mark === mark),
  );
}
