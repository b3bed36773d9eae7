/**
 * The budget monitor. It warns an agent and its parent when a budget is nearly used up, and reports
 * the remaining budget to agents that delegate. It does not act at the end of a budget: the gateway
 * then refuses calls, and a person is asked.
 */
import { plural } from '../../base/text.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { remainingGrant } from '../../agents/agent-grants.ts';
import { toMessage } from '../../monitors/reactions.ts';
import { describeRemaining, describeShares, decideWarnings } from '../../monitors/budget-watch.ts';
import type { BudgetShare } from '../../protocol/activity.ts';
import type { SpendingCaps } from '../../protocol/agent-rules.ts';
import { BudgetRecordedState } from '../../protocol/monitor-record.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import type { ActivityBus } from './activity-bus.ts';
import type { MonitorMemory } from './monitor-memory.ts';
import { every, monitorChild, runTogether } from './monitor-child.ts';
import type { MonitorStore } from './monitor-store.ts';
import type { MonitoredAgent, MonitoredAgents } from '../agents/monitored-agents.ts';

export type BudgetPorts = {
  readonly clock: Clock;
  readonly activityBus: ActivityBus;
  readonly agents: MonitoredAgents;
  readonly store: () => MonitorStore;
  readonly report: (note: string) => void;
  readonly log: (line: string) => void;
};

const REPORT_EVERY_MS = 600_000;
const NAME = 'the budget monitor';

const NOTHING: BudgetRecordedState = { shares: [], warned: [], left: '' };

export function budgetChild(ports: BudgetPorts): ChildSpec {
  return monitorChild('budget', (signal) => {
    const memory = ports.store().memory<BudgetRecordedState>('budget', {
      write: (value) => value,
      read: (written) => BudgetRecordedState.safeParse(written).data,
    });
    const monitor = new BudgetMonitor(ports, memory);
    return runTogether(
      signal,
      () => memory.sendPending(ports),
      (until) => monitor.watch(until),
      (until) => every(ports.clock, REPORT_EVERY_MS, until, () => monitor.reportRemaining()),
    );
  });
}

class BudgetMonitor {
  readonly #ports: BudgetPorts;
  readonly #memory: MonitorMemory<BudgetRecordedState>;

  constructor(ports: BudgetPorts, memory: MonitorMemory<BudgetRecordedState>) {
    this.#ports = ports;
    this.#memory = memory;
  }

  async watch(signal: AbortSignal): Promise<void> {
    const { activityBus, agents } = this.#ports;
    for await (const { run, activity } of activityBus.subscribe(signal)) {
      if (activity.kind !== 'purse') continue;
      const agent = agents.get(run);
      if (agent !== undefined) await this.#warn(agent, activity.shares);
    }
  }

  async #warn(agent: MonitoredAgent, shares: readonly BudgetShare[]): Promise<void> {
    const { agents, log } = this.#ports;
    const { run, settings } = agent;
    const previous = this.#memory.get(run) ?? NOTHING;
    const { near, warned } = decideWarnings(shares, previous.warned);
    const next = { ...previous, shares: [...shares], warned: [...warned] };
    if (near.length === 0) return this.#memory.set(run, next);
    const used = describeShares(near);
    const text = `You have used ${used}. Bring your work to a state that can be checked, or report what is missing.`;
    const parent = settings.parent === null ? undefined : agents.get(settings.parent as RunId);
    const notice = toMessage(NAME, `${settings.name} has used ${used}.`);
    const signals = [
      { run, signal: toMessage(NAME, text) },
      ...(parent === undefined ? [] : [{ run: parent.run, signal: notice }]),
    ];
    await this.#memory.setAndSend(run, next, signals, this.#ports);
    log(`${settings.name} (${run}) has used ${used}`);
  }

  /**
   * Only for agents that are working: a message would wake the others, and that costs more than the
   * information is worth.
   */
  async reportRemaining(): Promise<void> {
    const living = this.#ports.agents.living();
    const runs = new Set<string>(living.map(({ run }) => run));
    this.#memory.keepOnly((run) => runs.has(run));
    const children = Map.groupBy(living, ({ settings }) => settings.parent);
    for (const agent of living) {
      const ownChildren = children.get(agent.run) ?? [];
      if (ownChildren.length === 0 || agent.status.state !== 'working') continue;
      const previous = this.#memory.get(agent.run) ?? NOTHING;
      const left = describeRemaining(remainingBudget(agent, previous.shares, ownChildren));
      if (left === '' || left === previous.left) continue;
      const text = `${left} of your budget are left to spend or to delegate.`;
      const signals = [{ run: agent.run, signal: toMessage(NAME, text) }];
      await this.#memory.setAndSend(agent.run, { ...previous, left }, signals, this.#ports);
    }
    const near = this.#memory.values.filter(({ warned }) => warned.length > 0).length;
    this.#ports.report(
      `watching ${plural(living.length, 'agent')}, ${near} near the end of a budget`,
    );
  }
}

/** The part that was delegated to a child is gone, whether or not it was spent. */
function remainingBudget(
  { settings }: MonitoredAgent,
  shares: readonly BudgetShare[],
  children: readonly MonitoredAgent[],
): SpendingCaps {
  const spent = (limit: BudgetShare['limit']): number =>
    shares.find((share) => share.limit === limit)?.spent ?? 0;
  const ownSpending = {
    usd: spent('usd'),
    tokens: spent('tokens'),
    calls: spent('calls'),
    wallMs: spent('wall'),
  };
  // Time passes for all agents at once, so it is not delegated.
  const delegated = children.map(({ settings: { grant } }) => ({
    usd: grant.budget.usd ?? 0,
    tokens: grant.budget.tokens ?? 0,
    calls: grant.budget.calls ?? 0,
    wallMs: 0,
  }));
  return remainingGrant(settings.grant.budget, [ownSpending, ...delegated]);
}
