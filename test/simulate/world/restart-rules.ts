/**
 * Invariants of restarts and budgets: both are counted, and the counts survive the process that
 * counts.
 */
import { projectSegment } from '../../../src/owner/agents/supervisor-paths.ts';
import { parseRunId } from '../../../src/base/ids.ts';
import type { LongLivedSettings } from '../../../src/protocol/long-lived-agent.ts';
import type { BudgetView } from '../../../src/protocol/views/budget-view.ts';
import { foldBudget, NO_BUDGET_SPENT } from '../../../src/protocol/views/budget-view.ts';
import type { SimulatedAgent } from './agent-facts.ts';
import { agentRule, agentsOf, isOver } from './agent-facts.ts';
import type { Invariant } from './attempt-rules.ts';
import type { Fact, WorldRecord } from './record.ts';

export const RESTART_RULES: readonly Invariant[] = [
  agentRule('no agent is restarted more often than its rules allow', tooOften),
  agentRule('a restart is on record before the life that it begins', uncounted),
  agentRule('an exhausted agent restarts only on request', unwanted),
  { name: 'no child gets more than its parent has left', breaches: tooWide },
  agentRule('no agent spends more than its cap and what a person added', overspent),
];

/** The cost of an open call, which the ledger does not have yet. */
const UNDER_WAY_USD = 1;

function tooOften({ run, life }: SimulatedAgent, { facts, eras }: WorldRecord): readonly string[] {
  const { restartsMax, withinMs } = life.restart;
  let window: number[] = [];
  return facts.flatMap((fact) => {
    if (fact.type === 'tree.snapshot' && !isKept(fact, run)) window = []; // its supervisor restarted
    if (fact.type !== 'tree.restarting' || fact.payload.child !== run) return [];
    const decidedMs = decided(fact.payload.at, fact.elapsedMs, eras);
    const eraMs = eras.findLast(({ fromMs }) => fromMs <= decidedMs)?.fromMs ?? 0;
    window = [...window, decidedMs].filter((ms) => ms >= eraMs && ms > decidedMs - withinMs);
    return window.length <= restartsMax
      ? []
      : [`agent ${run}: ${window.length} restarts within ${withinMs} ms, ${restartsMax} may be`];
  });
}

/** When a restart was decided: on a slow disk, a while before it was written. */
function decided(at: number, writtenMs: number, eras: WorldRecord['eras']): number {
  const moments = eras
    .map(({ fromMs, offsetMs }) => ({ fromMs, ms: at - offsetMs }))
    .filter(({ fromMs, ms }) => ms >= fromMs && ms <= writtenMs);
  return moments.at(-1)?.ms ?? writtenMs;
}

function isKept(fact: Fact & { readonly type: 'tree.snapshot' }, run: string): boolean {
  const { histories } = fact.payload.tree;
  return Object.values(histories).some(({ children }) => children[run] !== undefined);
}

/**
 * By itself, or with a sibling or its supervisor, which may have been counted before it failed too.
 */
function uncounted(agent: SimulatedAgent, { facts }: WorldRecord): readonly string[] {
  const { run, project, life, steps } = agent;
  const place = projectSegment(project);
  const counted = facts.flatMap((fact) => {
    if (fact.type !== 'tree.restarting' || !fact.payload.supervisor.startsWith(place)) return [];
    const { child } = fact.payload;
    const isOther = child !== run && parseRunId(child) !== undefined;
    return isAlone(life) && isOther ? [] : [{ id: fact.id, isOwn: child === run }];
  });
  let failedAt: number | null = null;
  let bornAt = 0;
  return steps.flatMap(({ fact, before, after }) => {
    if (before.exit === null && after.exit?.kind === 'failed') failedAt = fact.id;
    if (after.lives === before.lives) return [];
    const [failed, born] = [failedAt, bornAt];
    failedAt = null;
    bornAt = fact.id;
    if (failed === null || before.restartsExhausted) return [];
    const isCounted = counted.some(({ id, isOwn }) => id < fact.id && id > (isOwn ? failed : born));
    return isCounted ? [] : [`agent ${run}: life ${after.lives} follows a failure uncounted`];
  });
}

/** It belongs to no group: restarts of others do not affect it. */
function isAlone({ supervisor }: LongLivedSettings): boolean {
  return supervisor === 'agents' || supervisor === 'agents/pool';
}

/** Agents of one group may restart with a sibling. */
function unwanted({ run, life, steps }: SimulatedAgent): readonly string[] {
  if (!isAlone(life)) return [];
  return steps.flatMap(({ before, after }) =>
    after.lives > before.lives && before.restartsExhausted && !before.restartRequested
      ? [`agent ${run}: life ${after.lives} was not requested`]
      : [],
  );
}

/** The budget of a run after each of its facts up to one of the journal. */
function budgetAt({ steps }: SimulatedAgent, id: number): BudgetView {
  return steps.reduce(
    (view, { fact }) => (fact.id < id ? foldBudget(view, fact) : view),
    NO_BUDGET_SPENT,
  );
}

function tooWide(record: WorldRecord): readonly string[] {
  const agents = agentsOf(record);
  const byRun = new Map(agents.map((agent) => [agent.run, agent]));
  return agents.flatMap((child) => {
    const parent = byRun.get(child.life.parent ?? '');
    if (parent === undefined) return [];
    const cap = parent.life.grant.budget.usd;
    if (cap === null) return [];
    const { id } = child.first;
    const { raised, spent } = budgetAt(parent, id);
    const given = agents
      .filter(({ life, first }) => life.parent === parent.run && first.id < id)
      .reduce((sum, other) => sum + takenBy(other, agents, id), 0);
    const left = cap + raised.run.usd - spent.usd - given;
    const wants = child.life.grant.budget.usd ?? Infinity;
    return wants <= Math.max(0, left) + UNDER_WAY_USD
      ? []
      : [`agent ${child.run}: it got ${wants} of the ${left} that ${parent.run} had`];
  });
}

/** While it lives, all that it may spend; afterwards, what it and its descendants spent. */
function takenBy(agent: SimulatedAgent, agents: readonly SimulatedAgent[], id: number): number {
  const end = agent.steps.find(isOver)?.fact.id ?? Infinity;
  if (end >= id) return agent.life.grant.budget.usd ?? 0;
  const below = agents.filter(({ life }) => life.parent === agent.run);
  return (
    budgetAt(agent, id).spent.usd +
    below.reduce((sum, child) => sum + takenBy(child, agents, id), 0)
  );
}

function overspent({ run, life, steps }: SimulatedAgent): readonly string[] {
  const cap = life.grant.budget.usd;
  if (cap === null) return [];
  let view = NO_BUDGET_SPENT;
  return steps.flatMap(({ fact }) => {
    const before = view.spent.usd;
    view = foldBudget(view, fact);
    const { spent, raised } = view;
    return spent.usd <= cap + raised.run.usd || spent.usd === before
      ? []
      : [`agent ${run}: it has spent ${spent.usd} of ${cap} and ${raised.run.usd} more`];
  });
}
