/**
 * The budget monitor: it warns an agent and its parent when a budget comes to an end, and tells those who
 * give to others what they have left. At the end of a budget the gateway lets no call through and a person
 * is asked; that is not for it to decide.
 */
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { remainingGrant } from '../../agents/agent-grants.ts';
import { toMessage } from '../../monitors/reactions.ts';
import { describeRemaining, describeShares, warnings } from '../../monitors/budget-watch.ts';
import type { BudgetShare } from '../../protocol/activity.ts';
import type { SpendingCaps } from '../../protocol/agent-rules.ts';
import { BudgetRecordedState } from '../../protocol/monitor-record.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import type { ActivityBus } from './activity-bus.ts';
import type { MonitorMemory } from './monitor-memory.ts';
import { every, monitorChild, together } from './monitor-child.ts';
import type { MonitorStore } from './monitor-store.ts';
import type { MonitoredAgent, MonitoredAgents } from '../agents/monitored-agents.ts';

export type BudgetPorts = {
  readonly clock: Clock;
  readonly deeds: ActivityBus;
  readonly agents: MonitoredAgents;
  readonly watches: () => MonitorStore;
  readonly say: (note: string) => void;
  readonly log: (line: string) => void;
};

const LEFT_EVERY_MS = 600_000;
const NAME = 'the budget monitor';

const NOTHING: BudgetRecordedState = { shares: [], warned: [], left: '' };

export function budgetChild(ports: BudgetPorts): ChildSpec {
  return monitorChild('budget', (signal) => {
    const memory = ports.watches().memory<BudgetRecordedState>('budget', {
      write: (value) => value,
      read: (written) => BudgetRecordedState.safeParse(written).data,
    });
    const monitor = new BudgetMonitor(ports, memory);
    return together(
      signal,
      () => memory.settle(ports),
      (until) => monitor.hear(until),
      (until) => every(ports.clock, LEFT_EVERY_MS, until, () => monitor.tellLeft()),
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

  async hear(signal: AbortSignal): Promise<void> {
    const { deeds, agents } = this.#ports;
    for await (const { run, sighting } of deeds.listen(signal)) {
      if (sighting.kind !== 'purse') continue;
      const agent = agents.get(run);
      if (agent !== undefined) await this.#warn(agent, sighting.shares);
    }
  }

  async #warn(agent: MonitoredAgent, shares: readonly BudgetShare[]): Promise<void> {
    const { agents, log } = this.#ports;
    const { run, settings } = agent;
    const before = this.#memory.get(run) ?? NOTHING;
    const { near, warned } = warnings(shares, before.warned);
    const now = { ...before, shares: [...shares], warned: [...warned] };
    if (near.length === 0) return this.#memory.set(run, now);
    const used = describeShares(near);
    const text = `You have used ${used}. Bring what you do to an end that can be checked, or say what is missing.`;
    const parent = settings.parent === null ? undefined : agents.get(settings.parent as RunId);
    const told = toMessage(NAME, `${settings.name} has used ${used}.`);
    const orders = [
      { run, signal: toMessage(NAME, text) },
      ...(parent === undefined ? [] : [{ run: parent.run, signal: told }]),
    ];
    await this.#memory.act(run, now, orders, this.#ports);
    log(`${settings.name} (${run}) has used ${used}`);
  }

  /** Only to those at work: a message would wake the others, which costs more than it tells. */
  async tellLeft(): Promise<void> {
    const living = this.#ports.agents.living();
    const runs = new Set<string>(living.map(({ run }) => run));
    this.#memory.keepOnly((run) => runs.has(run));
    const children = Map.groupBy(living, ({ settings }) => settings.parent);
    for (const agent of living) {
      const own = children.get(agent.run) ?? [];
      if (own.length === 0 || agent.status.state !== 'working') continue;
      const before = this.#memory.get(agent.run) ?? NOTHING;
      const left = describeRemaining(leftOf(agent, before.shares, own));
      if (left === '' || left === before.left) continue;
      const text = `Of your budget ${left} are left to spend or to give to others.`;
      const orders = [{ run: agent.run, signal: toMessage(NAME, text) }];
      await this.#memory.act(agent.run, { ...before, left }, orders, this.#ports);
    }
    const near = this.#memory.values.filter(({ warned }) => warned.length > 0).length;
    this.#ports.say(`watches ${living.length} agents, ${near} near the end of a budget`);
  }
}

/** What has been given to a child is gone, whether or not it was spent. */
function leftOf(
  { settings }: MonitoredAgent,
  shares: readonly BudgetShare[],
  children: readonly MonitoredAgent[],
): SpendingCaps {
  const spent = (limit: BudgetShare['limit']): number =>
    shares.find((share) => share.limit === limit)?.spent ?? 0;
  const own = {
    usd: spent('usd'),
    tokens: spent('tokens'),
    calls: spent('calls'),
    wallMs: spent('wall'),
  };
  // Time is nobody's to give: it goes by for all of them at once.
  const given = children.map(({ settings: { grant } }) => ({
    usd: grant.budget.usd ?? 0,
    tokens: grant.budget.tokens ?? 0,
    calls: grant.budget.calls ?? 0,
    wallMs: 0,
  }));
  return remainingGrant(settings.grant.budget, [own, ...given]);
}
