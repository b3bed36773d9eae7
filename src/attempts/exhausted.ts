/** How a run ends that has nothing left to try, in words. */
import type { AttemptDecision } from './decision.ts';
import { endRun } from './decision.ts';
import type { FailedEnd, History, CooldownRest } from './attempt-records.ts';

export function failRun(agent: string, { message }: FailedEnd): AttemptDecision {
  return endRun('failed', `${agent}: ${message}`);
}

/** Who was tried, how that ended, who rests and until when: a person must know what to do next. */
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
  const rests = resting.map(
    ({ agent, until, reason }) => `${agent} until ${new Date(until).toISOString()} (${reason})`,
  );
  const words = [
    ...(tried.length === 0 ? [] : [`tried ${tried.join(', ')}`]),
    ...(rests.length === 0 ? [] : [`on cooldown ${rests.join(', ')}`]),
  ].join('; ');
  return endRun('exhausted', `no agent is left: ${words === '' ? 'none was named' : words}`);
}
