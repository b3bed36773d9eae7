import type { Detector } from '../anomaly.ts';

/** Every item of the plan has ended, and the agent repeats itself instead of answering. */
export const detectCompletionStall: Detector = ({ history: { afterPlan, turn }, thresholds }) => {
  if (afterPlan === null || afterPlan < thresholds['completion-stall.turns']) return null;
  return {
    detector: 'completion-stall',
    words: `Your plan has ended, and the last ${afterPlan} turns brought nothing new.`,
    action: 'Give your final answer now.',
    since: turn - afterPlan + 1,
  };
};
