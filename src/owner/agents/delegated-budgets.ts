/**
 * What agents have given to their children out of their own budgets. While a child lives, all that it may
 * spend is gone from its parent's purse; what it has not spent when it is over comes back.
 */
import type { RunId } from '../../base/ids.ts';
import { remainingGrant } from '../../agents/agent-grants.ts';
import type { SpendingCaps } from '../../protocol/agent-rules.ts';
import type { AgentRecord } from './agent-registry.ts';

export type DelegatedBudget = {
  readonly usd: number;
  readonly tokens: number;
  readonly calls: number;
};

const NOTHING: DelegatedBudget = { usd: 0, tokens: 0, calls: 0 };

/** Of one agent, out of all that are known. */
export function delegatedBy(run: RunId, agents: readonly AgentRecord[]): DelegatedBudget {
  const byParent = Map.groupBy(agents, ({ settings }) => settings.parent);
  const taken = (child: AgentRecord): DelegatedBudget => {
    const { usd, tokens, calls } = child.settings.grant.budget;
    if (!child.standing.over) return { usd: usd ?? 0, tokens: tokens ?? 0, calls: calls ?? 0 };
    return sum([child.budget.spent, below(child.run)]);
  };
  const buriedOf = new Map(agents.map((one) => [one.run, one.buried]));
  const below = (one: RunId): DelegatedBudget =>
    sum([buriedOf.get(one) ?? NOTHING, ...(byParent.get(one) ?? []).map(taken)]);
  return below(run);
}

/** The agent from which it descends, and after that one all who do; none where nobody knows it. */
export function descendantsOf(run: RunId, agents: readonly AgentRecord[]): readonly RunId[] {
  const byRun = new Map(agents.map((one) => [one.run, one]));
  const above = ({ settings: { parent } }: AgentRecord): AgentRecord | undefined =>
    parent === null ? undefined : byRun.get(parent as RunId);
  let top = byRun.get(run);
  for (let up = top; up !== undefined; up = above(up)) top = up;
  if (top === undefined) return [];
  const byParent = Map.groupBy(agents, ({ settings }) => settings.parent);
  const below = (one: RunId): RunId[] =>
    (byParent.get(one) ?? []).flatMap((child) => [child.run, ...below(child.run)]);
  return [top.run, ...below(top.run)];
}

/** What an agent can still give: neither spent by itself nor given to others. Time is nobody's to give twice. */
export function remainingOf(
  parent: AgentRecord,
  agents: readonly AgentRecord[],
  now: number,
): SpendingCaps {
  const { settings, budget, run, submittedAt } = parent;
  const { raised, spent } = budget;
  const caps: SpendingCaps = {
    usd: more(settings.grant.budget.usd, raised.run.usd),
    tokens: more(settings.grant.budget.tokens, raised.run.tokens),
    calls: more(settings.grant.budget.calls, raised.run.calls),
    wallMs: more(settings.grant.budget.wallMs, raised.run.wall),
  };
  return remainingGrant(caps, [
    { ...spent, wallMs: Math.max(0, now - submittedAt) },
    { ...delegatedBy(run, agents), wallMs: 0 },
  ]);
}

function more(cap: number | null, by: number): number | null {
  return cap === null ? null : cap + by;
}

function sum(all: readonly DelegatedBudget[]): DelegatedBudget {
  return all.reduce(
    (total, one) => ({
      usd: total.usd + one.usd,
      tokens: total.tokens + one.tokens,
      calls: total.calls + one.calls,
    }),
    NOTHING,
  );
}
