/**
 * The violations monitor: it holds what agents do against their rules. The rules are those that were
 * pinned when an agent was summoned, and ours about what sets its limits; nothing that it writes
 * changes them.
 */
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
import { every, monitorChild, together } from './monitor-child.ts';
import type { MonitorStore } from './monitor-store.ts';
import type { MonitoredAgent, MonitoredAgents } from '../agents/monitored-agents.ts';

export type ViolationsPorts = {
  readonly clock: Clock;
  readonly deeds: ActivityBus;
  readonly agents: MonitoredAgents;
  readonly watches: () => MonitorStore;
  /** What sets the limits of all agents: the user's settings and roles, our own state. */
  readonly limits: readonly string[];
  readonly say: (note: string) => void;
  readonly log: (line: string) => void;
};

const CHILDREN_EVERY_MS = 30_000;
/** In a project: its settings, its roles and what else says how agents are held. */
const PROJECT_FOLDER = '.supervisor';

const NOTHING: ViolationsRecord = { broken: {}, children: 0 };

export function violationsChild(ports: ViolationsPorts): ChildSpec {
  return monitorChild('violations', (signal) => {
    const memory = ports.watches().memory<ViolationsRecord>('violations', {
      write: (value) => value,
      read: (written) => ViolationsRecord.safeParse(written).data,
    });
    const monitor = new ViolationsMonitor(ports, ports.deeds.listen(signal), memory);
    return together(
      signal,
      () => memory.settle(ports),
      () => monitor.hear(),
      (until) => every(ports.clock, CHILDREN_EVERY_MS, until, () => monitor.look()),
    );
  });
}

class ViolationsMonitor {
  readonly #ports: ViolationsPorts;
  readonly #ear: ActivitySubscription;
  /** How often each has broken which rule, by its life: of the living, and of no others for longer than a round. */
  readonly #memory: MonitorMemory<ViolationsRecord>;

  constructor(
    ports: ViolationsPorts,
    ear: ActivitySubscription,
    memory: MonitorMemory<ViolationsRecord>,
  ) {
    this.#ports = ports;
    this.#ear = ear;
    this.#memory = memory;
  }

  async hear(): Promise<void> {
    for await (const { run, sighting } of this.#ear) {
      const agent = this.#ports.agents.get(run);
      if (agent === undefined) continue; // a plain run has no rules
      for (const deed of deedsIn(sighting)) await this.#judge(agent, deed);
    }
  }

  /** What nobody sees happen: that there are more children than before, or too much at once to be judged. */
  async look(): Promise<void> {
    const living = this.#ports.agents.living();
    const runs = new Set<string>(living.map(({ run }) => run));
    this.#memory.keepOnly((run) => runs.has(run));
    const children = Map.groupBy(living, ({ settings }) => settings.parent);
    const lost = this.#ear.takeLost();
    for (const agent of living) {
      const count = children.get(agent.run)?.length ?? 0;
      const { children: before, broken } = this.#of(agent);
      if (count !== before) this.#memory.set(agent.run, { broken, children: count });
      if (count > before) await this.#judge(agent, { kind: 'spawn', children: count });
      const unseen = lost.get(agent.run) ?? 0;
      if (unseen > 0) await this.#report(agent, flood(unseen));
    }
    const told = this.#memory.values
      .flatMap(({ broken }) => Object.values(broken))
      .reduce((sum, times) => sum + times, 0);
    this.#ports.say(`watches ${living.length} agents, ${told} violations`);
  }

  #of({ run }: MonitoredAgent): ViolationsRecord {
    return this.#memory.get(run) ?? NOTHING;
  }

  async #judge(agent: MonitoredAgent, deed: Activity): Promise<void> {
    const { limits } = this.#ports;
    const own = selfModification([...limits, join(agent.project, PROJECT_FOLDER)]);
    const violation = judgeActivity([own, ...agent.settings.violations], deed);
    if (violation !== undefined) await this.#report(agent, violation);
  }

  async #report(agent: MonitoredAgent, violation: Violation): Promise<void> {
    const { run } = agent;
    const { broken, children } = this.#of(agent);
    const times = (broken[violation.rule] ?? 0) + 1;
    const counted = { children, broken: { ...broken, [violation.rule]: times } };
    const signals = isWorthReporting(times) ? reactToViolation(violation, times) : [];
    const orders = signals.map((signal) => ({ run, signal }));
    await this.#memory.act(run, counted, orders, this.#ports);
  }
}

/** Who does so much at once that nobody can look at it may have something to hide. */
function flood(unseen: number): Violation {
  return {
    rule: 'flood',
    action: 'notify',
    what: `does so much at once that ${unseen} deeds were not looked at`,
  };
}

function deedsIn(sighting: AgentActivity): readonly Activity[] {
  switch (sighting.kind) {
    case 'write':
    case 'spend':
    case 'spawn':
    case 'connect':
    case 'command':
      return [sighting];
    case 'changed':
      return sighting.paths.map((path) => ({ kind: 'write', path }));
    case 'call':
    case 'turn-begun':
    case 'turn-ended':
    case 'purse':
      return [];
  }
}
