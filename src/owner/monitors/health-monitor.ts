/**
 * The health monitor. Every 30 seconds it checks whether the agents that are working make progress.
 */
import { plural } from '../../base/text.ts';
import type { Clock } from '../../base/clock.ts';
import type { Health } from '../../monitors/health.ts';
import { reactToHealth } from '../../monitors/reactions.ts';
import type { AgentWatch } from '../../monitors/watch-codec.ts';
import { readWatch, writeWatch } from '../../monitors/watch-codec.ts';
import {
  emptyWindow,
  isSuspect,
  judgeWindow,
  afterHealthCheck,
  withActivity,
} from '../../monitors/activity-window.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import type { ActivityBus } from './activity-bus.ts';
import type { MonitorMemory } from './monitor-memory.ts';
import { every, monitorChild, runTogether } from './monitor-child.ts';
import type { MonitorStore } from './monitor-store.ts';
import type { MonitoredAgent, MonitoredAgents } from '../agents/monitored-agents.ts';

export type HealthPorts = {
  readonly clock: Clock;
  readonly activityBus: ActivityBus;
  readonly agents: MonitoredAgents;
  readonly store: () => MonitorStore;
  /** Equal for equal files in a folder. Null if there are too many files. */
  readonly fingerprint: (folder: string) => Promise<string | null>;
  readonly report: (note: string) => void;
  readonly log: (line: string) => void;
};

export const HEALTH_EVERY_MS = 30_000;

export function healthChild(ports: HealthPorts): ChildSpec {
  return monitorChild('health', (signal) => {
    const memory = ports.store().memory('health', {
      write: writeWatch,
      read: (written) => readWatch(written, ports.clock.elapsedMs()),
    });
    const monitor = new HealthMonitor(ports, memory);
    return runTogether(
      signal,
      (until) => monitor.watch(until),
      () => memory.sendPending(ports),
      (until) => every(ports.clock, HEALTH_EVERY_MS, until, () => monitor.check(until)),
    );
  });
}

class HealthMonitor {
  readonly #ports: HealthPorts;
  /** For agents that have not ended. Entries of other agents are removed in the next round. */
  readonly #memory: MonitorMemory<AgentWatch>;

  constructor(ports: HealthPorts, memory: MonitorMemory<AgentWatch>) {
    this.#ports = ports;
    this.#memory = memory;
  }

  async watch(signal: AbortSignal): Promise<void> {
    const { activityBus, agents, clock } = this.#ports;
    for await (const { run, activity } of activityBus.subscribe(signal)) {
      const agent = agents.get(run);
      if (agent === undefined) continue; // a plain run, which is not monitored
      const { life, watch } = this.#entryFor(agent);
      const next = withActivity(watch, activity, agent.settings.health, clock.elapsedMs());
      this.#memory.set(run, { life, watch: next });
    }
  }

  /** One round. */
  async check(signal: AbortSignal): Promise<void> {
    const living = this.#ports.agents.living();
    const runs = new Set<string>(living.map(({ run }) => run));
    this.#memory.keepOnly((run) => runs.has(run));
    let unwell = 0;
    for (const agent of living) {
      if (signal.aborted) return;
      const health = await this.#checkAgent(agent, signal);
      if (health.kind !== 'well') unwell += 1;
    }
    const trouble = unwell === 0 ? '' : `, ${unwell} of them not well`;
    this.#ports.report(`watching ${plural(living.length, 'agent')}${trouble}`);
  }

  async #checkAgent(agent: MonitoredAgent, signal: AbortSignal): Promise<Health> {
    const { agents, clock } = this.#ports;
    const { run, settings, status } = agent;
    const isWorking = status.state === 'working';
    if (isWorking) await this.#checkTree(agent, signal);
    const entry = this.#entryFor(agent);
    const judged = judgeWindow(entry.watch, settings.health, isWorking, clock.elapsedMs());
    agents.note(run, describeHealth(judged.health));
    const signals =
      judged.reactionCount > 0 ? reactToHealth(judged.health, judged.reactionCount) : [];
    await this.#memory.setAndSend(
      run,
      { ...entry, watch: judged.watch },
      signals.map((signal) => ({ run, signal })),
      this.#ports,
    );
    return judged.health;
  }

  /** Reads the tree only if spinning is suspected, so the trees of most agents are never read. */
  async #checkTree(agent: MonitoredAgent, signal: AbortSignal): Promise<void> {
    const { fingerprint, clock } = this.#ports;
    const { health } = agent.settings;
    const { folder } = this.#entryFor(agent).watch;
    if (folder === null || !isSuspect(this.#entryFor(agent).watch, health)) return;
    const treePrint = await fingerprint(folder);
    if (treePrint === null || signal.aborted) return;
    // The agent continued meanwhile, so the current entry is used.
    const { life, watch } = this.#entryFor(agent);
    const next = afterHealthCheck(watch, treePrint, health, clock.elapsedMs());
    this.#memory.set(agent.run, { life, watch: next });
  }

  /** Each life starts with an empty window. */
  #entryFor({ run, status: { life } }: MonitoredAgent): AgentWatch {
    const before = this.#memory.get(run);
    if (before?.life === life) return before;
    return { life, watch: emptyWindow(this.#ports.clock.elapsedMs()) };
  }
}

function describeHealth(health: Health): string {
  switch (health.kind) {
    case 'well':
      return '';
    case 'spinning':
      return `spinning: ${plural(health.times, 'time')} ${health.call}`;
    case 'inactive':
      return `quiet for ${Math.round(health.quietMs / 60_000)} min`;
  }
}
