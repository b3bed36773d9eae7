import type { Detector } from '../anomaly.ts';

/** The agent says that it is done, or every item of its plan has ended, and it repeats itself instead of answering. */
export const detectCompletionStall: Detector = ({
  history: { afterPlan, plan, turn },
  thresholds,
}) => {
  if (afterPlan === null || afterPlan < thresholds['completion-stall.turns']) return null;
  const isPlanOver = plan !== null && plan.done === plan.total;
  return {
    detector: 'completion-stall',
    words: `${isPlanOver ? 'Your plan has ended' : 'You say that you are done'}, and the last ${afterPlan} turns brought nothing new.`,
    action: 'Give your final answer now.',
    since: turn - afterPlan + 1,
  };
};
