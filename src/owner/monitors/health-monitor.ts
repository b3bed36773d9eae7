/** The health monitor: it looks every half a minute whether the agents that are at work get on. */
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
import { every, monitorChild, together } from './monitor-child.ts';
import type { MonitorStore } from './monitor-store.ts';
import type { MonitoredAgent, MonitoredAgents } from '../agents/monitored-agents.ts';

export type HealthPorts = {
  readonly clock: Clock;
  readonly deeds: ActivityBus;
  readonly agents: MonitoredAgents;
  readonly watches: () => MonitorStore;
  /** The same for the same files in a folder. Null: there are too many to tell. */
  readonly printOf: (folder: string) => Promise<string | null>;
  readonly say: (note: string) => void;
  readonly log: (line: string) => void;
};

export const HEALTH_EVERY_MS = 30_000;

export function healthChild(ports: HealthPorts): ChildSpec {
  return monitorChild('health', (signal) => {
    const memory = ports.watches().memory('health', {
      write: writeWatch,
      read: (written) => readWatch(written, ports.clock.elapsedMs()),
    });
    const monitor = new HealthMonitor(ports, memory);
    return together(
      signal,
      (until) => monitor.hear(until),
      () => memory.settle(ports),
      (until) => every(ports.clock, HEALTH_EVERY_MS, until, () => monitor.look(until)),
    );
  });
}

class HealthMonitor {
  readonly #ports: HealthPorts;
  /** Of those that live, and of no others for longer than a round. */
  readonly #memory: MonitorMemory<AgentWatch>;

  constructor(ports: HealthPorts, memory: MonitorMemory<AgentWatch>) {
    this.#ports = ports;
    this.#memory = memory;
  }

  async hear(signal: AbortSignal): Promise<void> {
    const { deeds, agents, clock } = this.#ports;
    for await (const { run, sighting } of deeds.listen(signal)) {
      const agent = agents.get(run);
      if (agent === undefined) continue; // a plain run: nobody watches over those
      const { life, watch } = this.#entryOf(agent);
      const next = withActivity(watch, sighting, agent.settings.health, clock.elapsedMs());
      this.#memory.set(run, { life, watch: next });
    }
  }

  /** One round. */
  async look(signal: AbortSignal): Promise<void> {
    const living = this.#ports.agents.living();
    const runs = new Set<string>(living.map(({ run }) => run));
    this.#memory.keepOnly((run) => runs.has(run));
    let unwell = 0;
    for (const agent of living) {
      if (signal.aborted) return;
      const health = await this.#lookAt(agent, signal);
      if (health.kind !== 'well') unwell += 1;
    }
    const trouble = unwell === 0 ? '' : `, ${unwell} of them not well`;
    this.#ports.say(`watches ${living.length} agents${trouble}`);
  }

  async #lookAt(agent: MonitoredAgent, signal: AbortSignal): Promise<Health> {
    const { agents, clock } = this.#ports;
    const { run, settings, status } = agent;
    const isWorking = status.state === 'working';
    if (isWorking) await this.#lookAtTree(agent, signal);
    const entry = this.#entryOf(agent);
    const judged = judgeWindow(entry.watch, settings.health, isWorking, clock.elapsedMs());
    agents.note(run, sayHealth(judged.health));
    const signals = judged.act > 0 ? reactToHealth(judged.health, judged.act) : [];
    await this.#memory.act(
      run,
      { ...entry, watch: judged.watch },
      signals.map((signal) => ({ run, signal })),
      this.#ports,
    );
    return judged.health;
  }

  /** Only where a spin is suspected: most agents never have their tree looked at. */
  async #lookAtTree(agent: MonitoredAgent, signal: AbortSignal): Promise<void> {
    const { printOf, clock } = this.#ports;
    const { health } = agent.settings;
    const { folder } = this.#entryOf(agent).watch;
    if (folder === null || !isSuspect(this.#entryOf(agent).watch, health)) return;
    const print = await printOf(folder);
    if (print === null || signal.aborted) return;
    // It has gone on meanwhile: what it did then is in the entry as it is now.
    const { life, watch } = this.#entryOf(agent);
    const next = afterHealthCheck(watch, print, health, clock.elapsedMs());
    this.#memory.set(agent.run, { life, watch: next });
  }

  /** Another life begins with nothing against it. */
  #entryOf({ run, status: { life } }: MonitoredAgent): AgentWatch {
    const before = this.#memory.get(run);
    if (before?.life === life) return before;
    return { life, watch: emptyWindow(this.#ports.clock.elapsedMs()) };
  }
}

function sayHealth(health: Health): string {
  switch (health.kind) {
    case 'well':
      return '';
    case 'spinning':
      return `spins: ${health.times} times ${health.call}`;
    case 'inactive':
      return `quiet for ${Math.round(health.quietMs / 60_000)} min`;
  }
}
