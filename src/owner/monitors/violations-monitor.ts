/**
 * The violations monitor. It compares the activity of agents with their rules. The rules are pinned
 * when an agent is spawned, and Supervisor adds one that protects the limits. An agent cannot
 * change them.
 */
import { plural } from '../../base/text.ts';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { isWorthReporting, reactToViolation } from '../../monitors/reactions.ts';
import type { Violation } from '../../monitors/violations.ts';
import { judgeActivity, selfModification } from '../../monitors/violations.ts';
import type { Activity, AgentActivity } from '../../protocol/activity.ts';
import { ViolationsRecord } from '../../protocol/monitor-record.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import type { ActivityBus, ActivitySubscription } from './activity-bus.ts';
import type { MonitorMemory } from './monitor-memory.ts';
import { every, monitorChild, runTogether } from './monitor-child.ts';
import type { MonitorStore } from './monitor-store.ts';
import type { MonitoredAgent, MonitoredAgents } from '../agents/monitored-agents.ts';

export type ViolationsPorts = {
  readonly clock: Clock;
  readonly activityBus: ActivityBus;
  readonly agents: MonitoredAgents;
  readonly store: () => MonitorStore;
  /**
   * The files that define the limits of all agents: the user's settings and roles, and the state of
   * Supervisor.
   */
  readonly limits: readonly string[];
  readonly report: (note: string) => void;
  readonly log: (line: string) => void;
};

const CHILDREN_EVERY_MS = 30_000;
/** The folder of a project with its settings, roles and other limits of agents. */
const PROJECT_FOLDER = '.supervisor';

const NOTHING: ViolationsRecord = { broken: {}, children: 0 };

export function violationsChild(ports: ViolationsPorts): ChildSpec {
  return monitorChild('violations', (signal) => {
    const memory = ports.store().memory<ViolationsRecord>('violations', {
      write: (value) => value,
      read: (written) => ViolationsRecord.safeParse(written).data,
    });
    const monitor = new ViolationsMonitor(ports, ports.activityBus.subscribe(signal), memory);
    return runTogether(
      signal,
      () => memory.sendPending(ports),
      () => monitor.watch(),
      (until) => every(ports.clock, CHILDREN_EVERY_MS, until, () => monitor.check()),
    );
  });
}

class ViolationsMonitor {
  readonly #ports: ViolationsPorts;
  readonly #subscription: ActivitySubscription;
  /**
   * How often each agent has broken each rule, for agents that have not ended. Other entries are
   * removed in the next round.
   */
  readonly #memory: MonitorMemory<ViolationsRecord>;

  constructor(
    ports: ViolationsPorts,
    subscription: ActivitySubscription,
    memory: MonitorMemory<ViolationsRecord>,
  ) {
    this.#ports = ports;
    this.#subscription = subscription;
    this.#memory = memory;
  }

  async watch(): Promise<void> {
    for await (const { run, activity: observed } of this.#subscription) {
      const agent = this.#ports.agents.get(run);
      if (agent === undefined) continue; // a plain run has no rules
      for (const activity of toActivities(observed)) await this.#judge(agent, activity);
    }
  }

  /**
   * Checks what no single activity shows: more children than before, and activities that were
   * dropped.
   */
  async check(): Promise<void> {
    const living = this.#ports.agents.living();
    const runs = new Set<string>(living.map(({ run }) => run));
    this.#memory.keepOnly((run) => runs.has(run));
    const children = Map.groupBy(living, ({ settings }) => settings.parent);
    const lost = this.#subscription.takeLost();
    for (const agent of living) {
      const count = children.get(agent.run)?.length ?? 0;
      const { children: before, broken } = this.#recordFor(agent);
      if (count !== before) this.#memory.set(agent.run, { broken, children: count });
      if (count > before) await this.#judge(agent, { kind: 'spawn', children: count });
      const unseen = lost.get(agent.run) ?? 0;
      if (unseen > 0) await this.#report(agent, flood(unseen));
    }
    const total = this.#memory.values
      .flatMap(({ broken }) => Object.values(broken))
      .reduce((sum, times) => sum + times, 0);
    this.#ports.report(`watching ${plural(living.length, 'agent')}, ${plural(total, 'violation')}`);
  }

  #recordFor({ run }: MonitoredAgent): ViolationsRecord {
    return this.#memory.get(run) ?? NOTHING;
  }

  async #judge(agent: MonitoredAgent, activity: Activity): Promise<void> {
    const { limits } = this.#ports;
    const protection = selfModification([...limits, join(agent.project, PROJECT_FOLDER)]);
    const violation = judgeActivity([protection, ...agent.settings.violations], activity);
    if (violation !== undefined) await this.#report(agent, violation);
  }

  async #report(agent: MonitoredAgent, violation: Violation): Promise<void> {
    const { run } = agent;
    const { broken, children } = this.#recordFor(agent);
    const times = (broken[violation.rule] ?? 0) + 1;
    const counted = { children, broken: { ...broken, [violation.rule]: times } };
    const signals = isWorthReporting(times) ? reactToViolation(violation, times) : [];
    const pending = signals.map((signal) => ({ run, signal }));
    await this.#memory.setAndSend(run, counted, pending, this.#ports);
  }
}

/** An agent that does more than can be checked may try to hide something. */
function flood(unseen: number): Violation {
  return {
    rule: 'flood',
    action: 'notify',
    what: `does so much at once that ${plural(unseen, 'activity was', 'activities were')} not checked`,
  };
}

function toActivities(activity: AgentActivity): readonly Activity[] {
  switch (activity.kind) {
    case 'write':
    case 'spend':
    case 'spawn':
    case 'connect':
    case 'command':
      return [activity];
    case 'changed':
      return activity.paths.map((path) => ({ kind: 'write', path }));
    case 'call':
    case 'turn-begun':
    case 'turn-ended':
    case 'purse':
      return [];
  }
}
