/** The outcome of a run that has no agent left to try. */
import type { AttemptDecision } from './decision.ts';
import { endRun } from './decision.ts';
import type { FailedEnd, History, CooldownRest } from './attempt-records.ts';

export function failRun(agent: string, { message }: FailedEnd): AttemptDecision {
  return endRun('failed', `${agent}: ${message}`);
}

/** Lists how each attempt ended and which agents are cooling down, so that a person knows what to do next. */
export function describeExhausted(
  { past }: History,
  resting: readonly (CooldownRest & { readonly agent: string })[],
): AttemptDecision {
  const last = past.at(-1);
  if (last?.red !== null && last?.red !== undefined)
    return endRun('failed', `gate ${last.red.name}: ${last.red.words}`);
  const [only, ...more] = past;
  if (only?.end.kind === 'failed' && more.length === 0 && resting.length === 0)
    return failRun(only.agent, only.end);
  const tried = past.map(({ agent, end }) =>
    end.kind === 'failed' ? `${agent}: ${end.reason} (${end.message})` : `${agent}: ${end.kind}`,
  );
  const cooldowns = resting.map(
    ({ agent, until, reason }) => `${agent} until ${new Date(until).toISOString()} (${reason})`,
  );
  const words = [
    ...(tried.length === 0 ? [] : [`tried ${tried.join(', ')}`]),
    ...(cooldowns.length === 0 ? [] : [`on cooldown ${cooldowns.join(', ')}`]),
  ].join('; ');
  return endRun('exhausted', `no agent is left: ${words === '' ? 'the run names none' : words}`);
}
