/**
 * The budgets that agents have delegated to their children. While a child lives, its whole cap is
 * taken from its parent's budget pool. When it ends, the part that it did not spend returns to the
 * parent.
 */
import type { RunId } from '../../base/ids.ts';
import { remainingGrant } from '../../agents/agent-grants.ts';
import type { SpendingCaps } from '../../protocol/agent-rules.ts';
import { wallSpentMs } from '../../protocol/views/wall-time.ts';
import type { AgentRecord } from './agent-registry.ts';

export type DelegatedBudget = {
  readonly usd: number;
  readonly tokens: number;
  readonly calls: number;
};

const NOTHING: DelegatedBudget = { usd: 0, tokens: 0, calls: 0 };

/** The sum that one agent has delegated. */
export function delegatedBy(run: RunId, agents: readonly AgentRecord[]): DelegatedBudget {
  const byParent = Map.groupBy(agents, ({ settings }) => settings.parent);
  const delegatedTo = (child: AgentRecord): DelegatedBudget => {
    const { usd, tokens, calls } = child.settings.grant.budget;
    if (!child.status.isOver) return { usd: usd ?? 0, tokens: tokens ?? 0, calls: calls ?? 0 };
    return sum([child.budget.spent, delegatedBelow(child.run)]);
  };
  const removedUsage = new Map(agents.map((one) => [one.run, one.removedUsage]));
  const delegatedBelow = (one: RunId): DelegatedBudget =>
    sum([removedUsage.get(one) ?? NOTHING, ...(byParent.get(one) ?? []).map(delegatedTo)]);
  return delegatedBelow(run);
}

/** The top ancestor of an agent, followed by all its descendants. Empty if the agent is unknown. */
export function findFamily(run: RunId, agents: readonly AgentRecord[]): readonly RunId[] {
  const byRun = new Map(agents.map((one) => [one.run, one]));
  const findParent = ({ settings: { parent } }: AgentRecord): AgentRecord | undefined =>
    parent === null ? undefined : byRun.get(parent as RunId);
  let top = byRun.get(run);
  for (let ancestor = top; ancestor !== undefined; ancestor = findParent(ancestor)) top = ancestor;
  if (top === undefined) return [];
  const byParent = Map.groupBy(agents, ({ settings }) => settings.parent);
  const findDescendants = (one: RunId): RunId[] =>
    (byParent.get(one) ?? []).flatMap((child) => [child.run, ...findDescendants(child.run)]);
  return [top.run, ...findDescendants(top.run)];
}

/**
 * The budget that an agent can still delegate: its caps, minus its spending, minus the delegated
 * part. Time passes for all agents at once, so it is not delegated.
 */
export function remainingBudget(
  parent: AgentRecord,
  agents: readonly AgentRecord[],
  now: number,
): SpendingCaps {
  const { settings, budget, run } = parent;
  const { raised, spent } = budget;
  const caps: SpendingCaps = {
    usd: raise(settings.grant.budget.usd, raised.run.usd),
    tokens: raise(settings.grant.budget.tokens, raised.run.tokens),
    calls: raise(settings.grant.budget.calls, raised.run.calls),
    wallMs: raise(settings.grant.budget.wallMs, raised.run.wall),
  };
  return remainingGrant(caps, [
    { ...spent, wallMs: wallSpentMs(budget.time, now) },
    { ...delegatedBy(run, agents), wallMs: 0 },
  ]);
}

function raise(cap: number | null, by: number): number | null {
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
