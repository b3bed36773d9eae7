import type { Detector } from '../anomaly.ts';

/** If a CLI makes room itself, only a context that is as good as full is an anomaly. */
const FULL = 0.97;

/** Little room is left for the rest of the work. */
export const detectContext: Detector = ({
  history: { context, compactions, turn },
  thresholds,
}) => {
  if (context === null || context < thresholds['context.notice']) return null;
  if (compactions > 0 && context < FULL) return null;
  const isUrgent = context >= thresholds['context.urgent'];
  return {
    detector: 'context',
    words: `The context is ${Math.round(context * 100)} % full.`,
    action: isUrgent
      ? 'Finish the step at hand now, and answer.'
      : 'Finish the current task, or summarize what you know and continue from that.',
    since: turn,
  };
};
