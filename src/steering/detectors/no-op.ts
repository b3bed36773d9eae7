import type { Detector } from '../anomaly.ts';

/** The model answers without a tool call and without a new text. */
export const detectNoOp: Detector = ({ history: { noOps, turn }, thresholds }) => {
  if (noOps < thresholds['no-op.turns']) return null;
  return {
    detector: 'no-op',
    words: `The last ${noOps} turns did nothing and said nothing new.`,
    action: 'Take the next step of the task, or give your final answer.',
    since: turn - noOps + 1,
  };
};
