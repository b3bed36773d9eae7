import type { Detector } from '../anomaly.ts';
import { asClause } from '../as-clause.ts';

/** The role has used up all of its plans. */
export const detectEmergency: Detector = ({ history: { pace, turn }, role }) => {
  if (role === null || pace?.level !== 'emergency' || pace.calmTurns > 0) return null;
  return {
    detector: 'pace-emergency',
    words: `The role ${role.name} is at its emergency level: ${asClause(role.plans.emergency.description)}.`,
    action:
      'Stop, keep your partial results, and report what you have done and where you are stuck.',
    since: pace.changedAt.at(-1) ?? turn,
  };
};
