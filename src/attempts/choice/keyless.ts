/** Agents that cannot start because the owner lacks a key that their run was given, or because a login has run out. */
import type { AttemptOutcome } from '../../protocol/contracts/attempt-contract.ts';
import type { CommandEnd } from '../../protocol/commands.ts';
import { lackedKey } from '../../protocol/keyless-start.ts';
import type { AttemptsState } from '../attempts-state.ts';
import { chainEntries } from '../attempts-state.ts';
import type { AttemptDecision } from '../decision.ts';
import { askOrEnd, endRun } from '../decision.ts';

const KEY_CHOICES = ['retry', 'stop'] as const;

export function isKeyless({ keyless }: Pick<AttemptsState, 'keyless'>, identity: string): boolean {
  return keyless.some((one) => one.identity === identity);
}

/**
 * A person is asked before an agent that lacks its key starts. If the run insists on this agent, because it continues
 * its work, no other agent of the chain takes over.
 */
export function askForKeys(state: AttemptsState, decision: AttemptDecision): AttemptDecision {
  if (decision.kind !== 'attempt') return decision;
  const identity = chainEntries(state).find(({ id }) => id === decision.agent)?.identity;
  const found = state.keyless.find((one) => one.identity === identity);
  if (found === undefined) return decision;
  return askPerson(state, found.why);
}

/** An agent whose login expired while it worked. Undefined: a person says that it is renewed. */
export function askForLogin(state: AttemptsState, why: string): AttemptDecision | undefined {
  return state.keysAnswered ? undefined : askPerson(state, why);
}

function askPerson({ keysRefused, settings }: AttemptsState, why: string): AttemptDecision {
  if (keysRefused) return endRun('cancelled', `stopped for lack of a key: ${why}`);
  return askOrEnd(settings, { question: why, choices: KEY_CHOICES, about: 'keys' });
}

/** The attempt never started. So the state is as before it, and it does not count. */
export function afterKeylessStart(
  state: AttemptsState,
  outcome: AttemptOutcome,
): Partial<AttemptsState> | undefined {
  const { attempt, keyless, keylessStarts, replaced } = state;
  if (outcome.kind !== 'failed' || !lackedKey(outcome)) return undefined;
  if (attempt === null || replaced === null) return undefined;
  const { agent, identity } = attempt;
  const others = keyless.filter((one) => one.identity !== identity);
  return {
    ...replaced,
    replaced: null,
    availability: null,
    keyless: [...others, { agent, identity, why: outcome.message }],
    keylessStarts: keylessStarts + 1,
  };
}

/** The answer may have come with the keys, so every agent may try again. */
export function afterKeysAnswer(end: CommandEnd<'ask'>): Partial<AttemptsState> {
  if (end.kind !== 'done' || !('answer' in end.result)) return {};
  const isStop = end.result.answer.trim().toLowerCase() === 'stop';
  return isStop ? { keysRefused: true } : { keyless: [], keysRefused: false, keysAnswered: true };
}
