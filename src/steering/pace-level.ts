/**
 * The PACE level of a role: which of its four plans is in effect. It rises at once, and falls only after some calm turns,
 * so that it does not change back and forth.
 */
import type {
  OrganizationRole,
  PaceCondition,
  PaceLevel,
} from '../protocol/contracts/organization-contract.ts';
import { PACE_LEVELS } from '../protocol/contracts/organization-contract.ts';
import { withoutAnswers } from './past-calls.ts';
import type { WatchHistory } from './watch-history.ts';

export type PaceState = {
  /** The role that the level belongs to. */
  readonly role: string;
  readonly level: PaceLevel;
  /** The turns at which the level changed, at most the last 20. */
  readonly changedAt: readonly number[];
  /** Turns in a row in which a lower level would do. */
  readonly calmTurns: number;
};

const CALM_TURNS = 3;
const CHANGES_MAX = 20;

/** The history after its last turn, with the level of its role. Another role begins at its primary plan. */
export function withPace(history: WatchHistory, role: OrganizationRole | null): WatchHistory {
  if (role === null) return history.pace === null ? history : { ...history, pace: null };
  const pace = history.pace?.role === role.id ? history.pace : startOfPace(role);
  const wanted = wantedLevel(history, role);
  const isCalm = rank(wanted) < rank(pace.level);
  const calmTurns = isCalm ? pace.calmTurns + 1 : 0;
  if (wanted === pace.level || (isCalm && calmTurns < CALM_TURNS))
    return { ...history, pace: { ...pace, calmTurns } };
  const changedAt = [...pace.changedAt, history.turn].slice(-CHANGES_MAX);
  return { ...history, pace: { role: role.id, level: wanted, changedAt, calmTurns: 0 } };
}

function startOfPace({ id }: OrganizationRole): PaceState {
  return { role: id, level: 'primary', changedAt: [], calmTurns: 0 };
}

/** The most severe level whose trigger holds. */
function wantedLevel(history: WatchHistory, { plans }: OrganizationRole): PaceLevel {
  const isTriggered = (level: PaceLevel): boolean =>
    plans[level].trigger.some((all) => all.every((one) => holds(history, one)));
  return PACE_LEVELS.findLast(isTriggered) ?? 'primary';
}

function holds(history: WatchHistory, { fact, operator, limit }: PaceCondition): boolean {
  const value = factOf(history, fact);
  if (value === null) return false;
  if (operator === '>') return value > limit;
  return operator === '>=' ? value >= limit : value === limit;
}

/** Null: it is not known. */
function factOf(
  { failures, context, sinceProgress }: WatchHistory,
  fact: PaceCondition['fact'],
): number | null {
  switch (fact) {
    case 'failures':
      return withoutAnswers(failures).length;
    case 'context':
      return context;
    case 'turns-without-progress':
      return sinceProgress;
    case 'unrecoverable': {
      const other = failures.findLastIndex(({ error }) => error !== 'resource');
      return failures.length - 1 - other;
    }
  }
}

function rank(level: PaceLevel): number {
  return PACE_LEVELS.indexOf(level);
}
