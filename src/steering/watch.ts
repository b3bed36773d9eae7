/** Watches one conversation, turn by turn. The same function serves a running attempt, a replay and every table. */
import type { OrganizationRole } from '../protocol/contracts/organization-contract.ts';
import type { TurnRecord } from '../protocol/turn.ts';
import type { Check, CheckState } from './check.ts';
import { FIRST_CHECK, isDue, runCheck } from './check.ts';
import type { Detectors } from './detect.ts';
import { withPace } from './pace-level.ts';
import type { SteeringPolicy } from './steering-policy.ts';
import type { WatchHistory } from './watch-history.ts';
import { foldTreeChange, foldTurn, NO_HISTORY } from './watch-history.ts';

export type ConversationWatch = { readonly history: WatchHistory; readonly check: CheckState };

export type WatchTerms = {
  readonly run: string;
  readonly policy: SteeringPolicy;
  /** Null: no role is active. */
  readonly role: OrganizationRole | null;
  readonly detectors?: Detectors;
};

export const NEW_WATCH: ConversationWatch = { history: NO_HISTORY, check: FIRST_CHECK };

/** `check` is null if none is due. */
export function watchTurn(
  watch: ConversationWatch,
  turn: TurnRecord,
  terms: WatchTerms,
): { readonly watch: ConversationWatch; readonly check: Check | null } {
  const history = withPace(foldTurn(watch.history, turn), terms.role);
  const { policy } = terms;
  if (!isDue(watch.check, { history }, policy))
    return { watch: { ...watch, history }, check: null };
  return checkNow({ ...watch, history }, terms);
}

/** The same check on the same turn, after the work tree was found to have changed. */
export function checkAfterChange(
  before: ConversationWatch,
  turn: TurnRecord,
  terms: WatchTerms,
): ReturnType<typeof watchTurn> {
  const history = withPace(foldTreeChange(foldTurn(before.history, turn)), terms.role);
  return checkNow({ ...before, history }, terms);
}

function checkNow(
  { history, check: state }: ConversationWatch,
  { policy, role, run, detectors }: WatchTerms,
): { readonly watch: ConversationWatch; readonly check: Check } {
  const watched = { history, thresholds: policy.thresholds, role };
  const check = runCheck(state, watched, policy, run, detectors);
  return { watch: { history, check: check.state }, check };
}
