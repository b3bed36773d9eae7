/** The gang monitor: where several that belong together fail together, all begin again, or a person is asked. */
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { GangPolicy } from '../../monitors/gang-failures.ts';
import { DEFAULT_GANG, foldGang, NO_GANG } from '../../monitors/gang-failures.ts';
import type { Signal } from '../../protocol/event.ts';
import type { ChildSpec, Exit } from '../../supervision/index.ts';
import type { GangMemoryRecord } from './gang-codec.ts';
import { gangCodec } from './gang-codec.ts';
import { gangMembers } from './gang-membership.ts';
import type { MonitorMemory } from './monitor-memory.ts';
import { every, monitorChild, together } from './monitor-child.ts';
import type { MonitorStore } from './monitor-store.ts';
import type { MonitoredAgent, MonitoredAgents } from '../agents/monitored-agents.ts';

export type GangPorts = {
  readonly clock: Clock;
  readonly agents: MonitoredAgents;
  readonly watches: () => MonitorStore;
  readonly say: (note: string) => void;
  readonly log: (line: string) => void;
  readonly policy?: GangPolicy;
};

const QUEUE_MAX = 10_000;
const ASK_EVERY_MS = 5000;

export function gangChild(ports: GangPorts): ChildSpec {
  return monitorChild('gang', (signal) => {
    const memory = ports.watches().memory('gang', gangCodec(ports.clock));
    const monitor = new GangMonitor(ports, memory);
    return together(
      signal,
      () => memory.settle(ports),
      (until) => monitor.watch(until),
      (until) => every(ports.clock, ASK_EVERY_MS, until, () => monitor.askAgain()),
    );
  });
}

class GangMonitor {
  readonly #ports: GangPorts;
  /** By place. */
  readonly #memory: MonitorMemory<GangMemoryRecord>;

  constructor(ports: GangPorts, memory: MonitorMemory<GangMemoryRecord>) {
    this.#ports = ports;
    this.#memory = memory;
  }

  async watch(signal: AbortSignal): Promise<void> {
    const failed = new BoundedQueue<RunId>(QUEUE_MAX);
    const leave = this.#ports.agents.onExit((run: RunId, exit: Exit) => {
      // Whoever was told to leave has not failed. More than the queue holds are a gang either way.
      if (exit.kind === 'failed' || exit.kind === 'killed') failed.offer(run);
    });
    signal.addEventListener('abort', () => failed.close(), { once: true });
    if (signal.aborted) failed.close();
    try {
      for await (const run of failed) await this.#judge(run);
    } finally {
      leave();
    }
  }

  /** A question needs somebody who lives, and those who failed come back one by one. */
  async askAgain(): Promise<void> {
    const places = new Set(this.#ports.agents.living().map(gangMembers));
    this.#memory.keepOnly((place) => places.has(place));
    for (const place of places) {
      const before = this.#memory.get(place);
      if (before !== undefined && before.unasked > 0) await this.#tell(place, before);
    }
  }

  async #judge(run: RunId): Promise<void> {
    const { agents, clock, policy = DEFAULT_GANG } = this.#ports;
    const one = agents.get(run);
    if (one === undefined) return; // nobody knows it any more
    const place = gangMembers(one);
    const { gang: before, unasked } = this.#memory.get(place) ?? { gang: NO_GANG, unasked: 0 };
    const { gang, failed } = foldGang(before, run, clock.elapsedMs(), policy);
    if (failed === 0) return this.#memory.set(place, { gang, unasked });
    this.#ports.say(`${failed} below ${one.settings.supervisor} failed together`);
    await this.#tell(place, { gang, unasked: failed });
  }

  /** Whoever is down begins again in any case: it is the others that have to hear of it. */
  async #tell(place: string, { gang, unasked: failed }: GangMemoryRecord): Promise<void> {
    const alive = this.#ports.agents
      .living()
      .filter((agent) => gangMembers(agent) === place)
      .filter(isAlive);
    // One question is enough for all of them; a restart is each one's own.
    const asker = alive.find(({ settings }) => settings.cut.onGang === 'ask');
    const others = alive.filter(({ settings }) => settings.cut.onGang === 'restart-all');
    const told = [...(asker === undefined ? [] : [asker]), ...others];
    const signal: Signal = { kind: 'trigger', trigger: { kind: 'gang', failed } };
    const orders = told.map(({ run }) => ({ run, signal }));
    const unasked = told.length === 0 ? failed : 0;
    await this.#memory.act(place, { gang, unasked }, orders, this.#ports);
  }
}

function isAlive({ status: { life, exit, over } }: MonitoredAgent): boolean {
  return life > 0 && exit === null && !over;
}
