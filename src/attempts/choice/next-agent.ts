/** Decides whether `supervisor next` can have an effect on a run. */
import { isSkipped, otherAgents } from './agent-history.ts';
import type { AttemptsState } from '../attempts-state.ts';

/** The identity that works now, or that worked last. Undefined: no agent has started yet. */
export function currentIdentity({ attempt, past }: AttemptsState): string | undefined {
  return attempt?.identity ?? past.at(-1)?.identity;
}

export type NoNextAgent = 'not-started' | 'single' | 'none-left';

/** Undefined: another agent can take over, or is about to. */
export function whyNoNextAgent(state: AttemptsState, now: number): NoNextAgent | undefined {
  const identity = currentIdentity(state);
  if (identity === undefined) return 'not-started';
  if (isSkipped(state, identity) || otherAgents(state, identity, now).length > 0) return undefined;
  return (state.settings.chain ?? [state.settings.agent]).length > 1 ? 'none-left' : 'single';
}
