/** What the attempts of a run have used, and how often it tried again. A workflow counts the runs of its steps. */
import { z } from 'zod';
import { sumKnown } from '../reports/cost-words.ts';
import { ownAttempts, ownCost } from '../reports/runs/own-history.ts';
import type { RunHistory } from '../reports/runs/run-history.ts';
import { costUsd, field, tokens } from './document.ts';

export const TotalUsage = z.strictObject({
  input_tokens: tokens,
  output_tokens: tokens,
  total_tokens: tokens,
  cost_usd: costUsd,
  known_cost_usd: field(z.number().nullable(), 'The part of the cost whose price is known.'),
});

export const RetryCounts = z.strictObject({
  agent_used: z.string().nullable(),
  agent_id: z.string().nullable(),
  retry_count: z.int(),
  fallback_count: z.int(),
  fallback_used: z.boolean(),
  total_attempts: z.int(),
  switches: z.int(),
  same_identity_retries: z.int(),
});

/** Attempts that made no call count as nothing. A sum is null if no attempt reports it. */
export function totalUsage(runs: readonly RunHistory[]): z.infer<typeof TotalUsage> {
  const costs = runs.map(ownCost);
  const isPartial = costs.some((cost) => cost.isPartial);
  const usd = sumKnown(costs.map((cost) => cost.usd));
  const used = runs.flatMap(ownAttempts).map(({ usage, counted }) => {
    const { inputTokens: input, outputTokens: output } = usage;
    return {
      input,
      output,
      total: counted?.tokens ?? (input === null || output === null ? null : input + output),
    };
  });
  return {
    input_tokens: sumKnown(used.map(({ input }) => input)),
    output_tokens: sumKnown(used.map(({ output }) => output)),
    total_tokens: sumKnown(used.map(({ total }) => total)),
    cost_usd: isPartial ? null : usd,
    known_cost_usd: isPartial && usd === 0 ? null : usd,
  };
}

/** The steps of a workflow count each for itself: another step is no retry. */
export function countRetries(runs: readonly RunHistory[]): z.infer<typeof RetryCounts> {
  const last = runs.flatMap(({ attempts }) => attempts).at(-1);
  const counts = runs.map(countAttempts);
  const sum = (part: keyof ReturnType<typeof countAttempts>): number =>
    counts.reduce((all, one) => all + one[part], 0);
  const switches = sum('switches');
  return {
    agent_used: last?.agentCli ?? null,
    agent_id: last?.agentId ?? null,
    retry_count: sum('retries'),
    fallback_count: switches,
    fallback_used: switches > 0,
    total_attempts: sum('attempts'),
    switches,
    same_identity_retries: sum('sameIdentity'),
  };
}

function countAttempts({ attempts, earlier }: RunHistory) {
  const pairs = attempts.slice(1).map((one, index) => one.identity === attempts[index]?.identity);
  const switches = pairs.filter((isSame) => !isSame).length;
  const all = earlier.attempts + attempts.length;
  return {
    attempts: all,
    retries: Math.max(0, all - 1),
    switches,
    sameIdentity: pairs.length - switches,
  };
}
