import type { Detector } from '../anomaly.ts';
import { asClause } from '../as-clause.ts';

/** The first two plans of the role have failed. */
export const detectContingent: Detector = ({ history: { pace, turn }, role }) => {
  if (role === null || pace?.level !== 'contingent' || pace.calmTurns > 0) return null;
  return {
    detector: 'pace-contingent',
    words: `The role ${role.name} is at its contingent level: ${asClause(role.plans.contingent.description)}.`,
    action: 'Your approach has failed: use a different method, or ask a person.',
    since: pace.changedAt.at(-1) ?? turn,
  };
};
