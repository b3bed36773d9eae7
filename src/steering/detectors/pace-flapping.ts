import type { Detector } from '../anomaly.ts';

const WINDOW_TURNS = 20;

/** The level keeps changing, and little context is left to find out why. */
export const detectFlapping: Detector = ({
  history: { pace, turn, context },
  thresholds,
  role,
}) => {
  if (role === null || pace === null || context === null) return null;
  const recent = pace.changedAt.filter((at) => turn - at < WINDOW_TURNS);
  const isFlapping = recent.length >= thresholds['pace-flapping.changes'];
  if (!isFlapping || context < thresholds['context.notice']) return null;
  return {
    detector: 'pace-flapping',
    words: `The approach changed ${recent.length} times in the last ${WINDOW_TURNS} turns, and the context is ${Math.round(context * 100)} % full.`,
    action: 'Choose one approach and finish it, or report what you have.',
    since: recent[0] ?? turn,
  };
};
