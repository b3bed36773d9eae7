import type { Detector } from '../anomaly.ts';
import { asClause } from '../as-clause.ts';

/**
 * Many turns without progress, in which nothing new was learnt either. New results count as exploring, unless the role
 * sets its own limit. The number of turns alone says nothing.
 */
export const detectStall: Detector = ({ history, thresholds, role }) => {
  const { sinceProgress, nothingNew, subject, turn } = history;
  const isIdle = nothingNew > thresholds['stall.turns'];
  const isLost = sinceProgress > thresholds['stall.turns_exploring'];
  if (!isIdle && !isLost) return null;
  const step = subject === null ? '' : ` while working on: ${subject}`;
  const alternative =
    role === null
      ? 'try a smaller step that changes a file'
      : asClause(role.plans.alternate.description);
  return {
    detector: 'stall',
    words: `There was no progress for ${sinceProgress} turns${step}.`,
    action: `Leave this step, and ${alternative}.`,
    since: turn - sinceProgress + 1,
  };
};
