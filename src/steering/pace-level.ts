/**
 * The PACE level of a role: which of its four plans is in effect. It rises at once, and falls only after some calm turns,
 * so that it does not change back and forth.
 */
import type { Doctrine } from './steering-policy.ts';
import type { WatchHistory } from './watch-history.ts';

const PACE_LEVELS = ['primary', 'alternate', 'contingent', 'emergency'] as const;
export type PaceLevel = (typeof PACE_LEVELS)[number];

export type PaceState = {
  readonly level: PaceLevel;
  /** The turns at which the level changed, at most the last 20. */
  readonly changedAt: readonly number[];
  /** Turns in a row in which a lower level would do. */
  readonly calmTurns: number;
};

/** The active role of an agent. */
export type SteeringRole = Doctrine & {
  readonly name: string;
  /** What the role does at each level. */
  readonly plans: Readonly<Record<PaceLevel, string>>;
  /** From how many failures in a row. Specialists: 3 and 5. */
  readonly alternateFailures: number;
  readonly contingentFailures: number;
  /** From which fill of the context. */
  readonly contingentContext: number;
};

const START_OF_PACE: PaceState = { level: 'primary', changedAt: [], calmTurns: 0 };

const CALM_TURNS = 3;
const CHANGES_MAX = 20;
/** An emergency: so many times the turns that the role allows without progress. */
const EMERGENCY_FACTOR = 1.5;

/** The history after its last turn, with the level of its role. */
export function withPace(history: WatchHistory, role: SteeringRole | null): WatchHistory {
  if (role === null) return history;
  const pace = history.pace ?? START_OF_PACE;
  const wanted = wantedLevel(history, role);
  const isCalm = rank(wanted) < rank(pace.level);
  const calmTurns = isCalm ? pace.calmTurns + 1 : 0;
  if (wanted === pace.level || (isCalm && calmTurns < CALM_TURNS))
    return { ...history, pace: { ...pace, calmTurns } };
  const changedAt = [...pace.changedAt, history.turn].slice(-CHANGES_MAX);
  return { ...history, pace: { level: wanted, changedAt, calmTurns: 0 } };
}

function wantedLevel(
  { failures, context, sinceProgress }: WatchHistory,
  role: SteeringRole,
): PaceLevel {
  if (sinceProgress > role.maxTurnsWithoutProgress * EMERGENCY_FACTOR) return 'emergency';
  if (failures.length >= role.contingentFailures) return 'contingent';
  if (context !== null && context > role.contingentContext) return 'contingent';
  return failures.length >= role.alternateFailures ? 'alternate' : 'primary';
}

function rank(level: PaceLevel): number {
  return PACE_LEVELS.indexOf(level);
}
