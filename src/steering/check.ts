/**
 * The check after some turns: at most one message, by severity. Each detector has a cooldown of its own. An emergency has
 * none, but after a few messages a person must look.
 */
import type { DetectorName, SteeringDecision } from '../protocol/contracts/steering-contract.ts';
import type { DetectorDefect, Detectors } from './detect.ts';
import { ALL_DETECTORS, detect } from './detect.ts';
import type { Anomaly, Watched } from './anomaly.ts';
import { steeringMessage } from './steering-message.ts';
import type { SteeringPolicy } from './steering-policy.ts';
import { isHeldOut } from './steering-policy.ts';

export type CheckState = {
  /** The turn of the last check. */
  readonly checkedAt: number;
  /** When each detector was last recorded or spoke. */
  readonly lastAt: Readonly<Partial<Record<DetectorName, number>>>;
  /** The messages about the emergency that lasts. */
  readonly emergencies: number;
};

type CheckedAnomaly = { readonly anomaly: Anomaly; readonly decision: SteeringDecision };

export type Check = {
  readonly state: CheckState;
  readonly found: readonly CheckedAnomaly[];
  readonly defects: readonly DetectorDefect[];
  /** What the agent is to read. Null: nothing. */
  readonly message: string | null;
  /** The agent is to be paused, and a person notified. */
  readonly pauses: boolean;
};

export const FIRST_CHECK: CheckState = { checkedAt: 0, lastAt: {}, emergencies: 0 };

const EMERGENCIES_MAX = 4;

/** Whether a check is due. The turn in which an emergency begins is checked at once. */
export function isDue(
  { checkedAt }: CheckState,
  { history: { turn, pace } }: Pick<Watched, 'history'>,
  { checkTurns }: Pick<SteeringPolicy, 'checkTurns'>,
): boolean {
  const isNewEmergency = pace?.level === 'emergency' && pace.changedAt.at(-1) === turn;
  return turn - checkedAt >= checkTurns || (isNewEmergency && turn > checkedAt);
}

export function runCheck(
  state: CheckState,
  watched: Watched,
  policy: SteeringPolicy,
  run: string,
  detectors: Detectors = ALL_DETECTORS,
): Check {
  const { turn, pace } = watched.history;
  const { anomalies, defects } = detect(watched, policy.modes, detectors);
  const before = pace?.level === 'emergency' ? state : { ...state, emergencies: 0 };
  const eligible = withoutStackedAdvice(anomalies).filter((one) =>
    isEligible(before, one, turn, policy),
  );
  const mayHear = ({ detector }: Anomaly): boolean =>
    policy.modes[detector] === 'steer' && !isHeldOut(run, detector, policy.heldOut);
  const speaker = eligible.find(mayHear);
  const pauses = speaker?.detector === 'pace-emergency' && before.emergencies >= EMERGENCIES_MAX;
  const found = eligible.map((anomaly) => {
    const { detector } = anomaly;
    const decision: SteeringDecision =
      policy.modes[detector] !== 'steer'
        ? 'shadow'
        : !mayHear(anomaly)
          ? 'held-out'
          : anomaly !== speaker
            ? 'outranked'
            : pauses
              ? 'paused'
              : 'sent';
    return { anomaly, decision };
  });
  const counted = found.filter(({ decision }) => decision !== 'outranked');
  const isEmergency = counted.some(({ anomaly }) => anomaly.detector === 'pace-emergency');
  return {
    state: {
      checkedAt: turn,
      lastAt: {
        ...before.lastAt,
        ...Object.fromEntries(counted.map(({ anomaly }) => [anomaly.detector, turn])),
      },
      emergencies: before.emergencies + (isEmergency ? 1 : 0),
    },
    found,
    defects,
    message: speaker === undefined || pauses ? null : steeringMessage(speaker, turn),
    pauses,
  };
}

/** An emergency is exempt from the cooldown. After its last message, it is recorded once more. */
function isEligible(
  { lastAt, emergencies }: CheckState,
  { detector }: Anomaly,
  turn: number,
  { cooldownTurns }: SteeringPolicy,
): boolean {
  if (detector === 'pace-emergency') return emergencies <= EMERGENCIES_MAX;
  const last = lastAt[detector];
  return last === undefined || turn - last >= cooldownTurns;
}

/** Advice about a tool waits for a check in which nothing else is found. */
function withoutStackedAdvice(anomalies: readonly Anomaly[]): readonly Anomaly[] {
  const others = anomalies.filter(({ detector }) => detector !== 'tool-advice');
  return others.length === 0 ? anomalies : others;
}
