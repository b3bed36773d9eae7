/** The outcome of a run that has no agent left to try. */
import { describeRedGate, tellingLine } from '../protocol/words/red-gate-words.ts';
import type { AttemptDecision } from './decision.ts';
import { endRun } from './decision.ts';
import type { ClassifiedFailure } from '../protocol/contracts/attempt-contract.ts';
import type { AttemptsState } from './attempts-state.ts';
import type { AgentCooldown } from './choice/find-cooldown.ts';
import { describeUnchanged, isStuck, unchangedInARow } from './gates/no-progress.ts';
import type { RedGate } from './past-attempt.ts';

/** An agent that could not even start ends its run as a preflight does: the run is refused. */
export function failRun(agent: string, { reason, message }: ClassifiedFailure): AttemptDecision {
  return endRun(reason === 'start_refused' ? 'refused' : 'failed', `${agent}: ${message}`);
}

/** One sentence. The logs of the run have the whole output of the gate. */
export function describeRed({ name, kind, output, judged, skippedFor }: RedGate): string {
  if (skippedFor !== undefined)
    return `gate ${name} was skipped, because gate ${skippedFor} is red: ${tellingLine(output)}`;
  const { counted, reported, failures } = judged?.outcome ?? {};
  return describeRedGate({ name, kind, output, counted, reported, failures });
}

/** Lists how each attempt ended and which agents are cooling down, so that a person knows what to do next. */
export function describeExhausted(
  { past, baseline }: AttemptsState,
  cooling: readonly (AgentCooldown & { readonly agent: string })[],
): AttemptDecision {
  const last = past.at(-1);
  if (last !== undefined && last.redGate !== null) {
    const red = describeRed(last.redGate);
    const isStopped = isStuck({ past, baseline }, last.identity);
    const why = isStopped ? `${describeUnchanged(unchangedInARow({ past, baseline }))}; ` : '';
    return endRun('failed', `${why}${red}`);
  }
  const [only, ...more] = past;
  if (only?.kind === 'failed' && more.length === 0 && cooling.length === 0)
    return failRun(only.agent, only.failure);
  const tried = past.map(({ agent, kind, failure, redGate }) => {
    if (failure !== null) return `${agent}: ${failure.reason} (${failure.message})`;
    return redGate === null ? `${agent}: ${kind}` : `${agent}: ${describeRed(redGate)}`;
  });
  const cooldowns = cooling.map(
    ({ agent, until, reason }) => `${agent} until ${new Date(until).toISOString()} (${reason})`,
  );
  const details = [
    ...(tried.length === 0 ? [] : [`tried ${tried.join(', ')}`]),
    ...(cooldowns.length === 0 ? [] : [`on cooldown ${cooldowns.join(', ')}`]),
  ].join('; ');
  return endRun(
    'exhausted',
    `no agent is left: ${details === '' ? 'the run names none' : details}`,
  );
}
