import type { Detector } from '../anomaly.ts';

const DIFFERENT_MAX = 2;

/** Calls that succeed again and again with the same output. An edit or a wait in between resets the count. */
export const detectStagnation: Detector = ({ history: { successes }, thresholds }) => {
  const last = successes.slice(-thresholds['stagnation.calls']);
  const [first] = last;
  if (first === undefined || last.length < thresholds['stagnation.calls']) return null;
  const isOneTool = last.every(({ tool }) => tool === first.tool);
  const marks = new Set(last.map(({ mark }) => mark));
  if (!isOneTool || marks.size > DIFFERENT_MAX) return null;
  return {
    detector: 'stagnation',
    words: `The last ${last.length} calls of ${first.tool} gave the same output${first.subject === null ? '' : `: ${first.subject}`}.`,
    action: 'Use what you know already, and take the next step.',
    since: first.turn,
  };
};
