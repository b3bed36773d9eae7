import type { Detector } from '../anomaly.ts';
import { turnsOf } from '../past-calls.ts';

const WINDOW_FAILURES = 5;

/** Different tools fail one after another, so the cause lies outside of them. A test that fails is no tool that fails. */
export const detectCascade: Detector = ({ history: { failures }, thresholds }) => {
  const last = failures.slice(-WINDOW_FAILURES).filter(({ isTestRun }) => !isTestRun);
  const tools = new Set(last.map(({ tool }) => tool));
  if (tools.size < thresholds['cascade.tools'] || turnsOf(last) < 2) return null;
  return {
    detector: 'cascade',
    words: `${tools.size} different tools failed one after another: ${[...tools].join(', ')}.`,
    action: 'Stop, and check the working directory, the paths and the environment first.',
    since: last[0]?.turn ?? 0,
  };
};
