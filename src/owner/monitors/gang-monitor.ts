/**
 * The gang monitor. If several members of a gang fail together, it restarts all of them or asks a
 * person.
 */
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { GangPolicy, GangFailures } from '../../monitors/gang-failures.ts';
import { DEFAULT_GANG, foldGang, NO_GANG } from '../../monitors/gang-failures.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { ChildSpec, Exit } from '../../supervision/index.ts';
import { toGangId } from './gang-membership.ts';
import type { MonitorMemory, Codec } from './monitor-memory.ts';
import { every, monitorChild, runTogether } from './monitor-child.ts';
import type { MonitorStore } from './monitor-store.ts';
import type { MonitoredAgent, MonitoredAgents } from '../agents/monitored-agents.ts';
import { GangRecord } from '../../protocol/monitor-record.ts';

export type GangPorts = {
  readonly clock: Clock;
  readonly agents: MonitoredAgents;
  readonly store: () => MonitorStore;
  readonly report: (note: string) => void;
  readonly log: (line: string) => void;
  readonly policy?: GangPolicy;
};

const QUEUE_MAX = 10_000;
const ASK_EVERY_MS = 5000;

export function gangChild(ports: GangPorts): ChildSpec {
  return monitorChild('gang', (signal) => {
    const memory = ports.store().memory('gang', gangCodec(ports.clock));
    const monitor = new GangMonitor(ports, memory);
    return runTogether(
      signal,
      () => memory.sendPending(ports),
      (until) => monitor.watch(until),
      (until) => every(ports.clock, ASK_EVERY_MS, until, () => monitor.askAgain()),
    );
  });
}

class GangMonitor {
  readonly #ports: GangPorts;
  /** By gang. */
  readonly #memory: MonitorMemory<GangMemoryRecord>;

  constructor(ports: GangPorts, memory: MonitorMemory<GangMemoryRecord>) {
    this.#ports = ports;
    this.#memory = memory;
  }

  async watch(signal: AbortSignal): Promise<void> {
    const failed = new BoundedQueue<RunId>(QUEUE_MAX);
    const unsubscribe = this.#ports.agents.onExit((run: RunId, exit: Exit) => {
      // An agent that was asked to end has not failed. If the queue is full, the failures are a
      // gang anyway.
      if (exit.kind === 'failed' || exit.kind === 'killed') failed.offer(run);
    });
    signal.addEventListener('abort', () => failed.close(), { once: true });
    if (signal.aborted) failed.close();
    try {
      for await (const run of failed) await this.#judge(run);
    } finally {
      unsubscribe();
    }
  }

  /** A question needs an agent that is alive, and failed agents restart one by one. */
  async askAgain(): Promise<void> {
    const gangIds = new Set(this.#ports.agents.living().map(toGangId));
    this.#memory.keepOnly((gangId) => gangIds.has(gangId));
    for (const gangId of gangIds) {
      const before = this.#memory.get(gangId);
      if (before !== undefined && before.unasked > 0) await this.#trigger(gangId, before);
    }
  }

  async #judge(run: RunId): Promise<void> {
    const { agents, clock, policy = DEFAULT_GANG } = this.#ports;
    const agent = agents.get(run);
    if (agent === undefined) return; // the agent is unknown
    const gangId = toGangId(agent);
    const { gang: before, unasked } = this.#memory.get(gangId) ?? { gang: NO_GANG, unasked: 0 };
    const { gang, failed } = foldGang(before, run, clock.elapsedMs(), policy);
    if (failed === 0) return this.#memory.set(gangId, { gang, unasked });
    this.#ports.report(`${failed} below ${agent.settings.supervisor} failed together`);
    await this.#trigger(gangId, { gang, unasked: failed });
  }

  /** An agent that is down restarts in any case, so only the others get the trigger. */
  async #trigger(gangId: string, { gang, unasked: failed }: GangMemoryRecord): Promise<void> {
    const alive = this.#ports.agents
      .living()
      .filter((agent) => toGangId(agent) === gangId)
      .filter(isAlive);
    // One question is enough for the whole gang. A restart is sent to each agent.
    const asker = alive.find(({ settings }) => settings.triggers.onGang === 'ask');
    const others = alive.filter(({ settings }) => settings.triggers.onGang === 'restart-all');
    const receivers = [...(asker === undefined ? [] : [asker]), ...others];
    const signal: Signal = { kind: 'trigger', trigger: { kind: 'gang', failed } };
    const signals = receivers.map(({ run }) => ({ run, signal }));
    const unasked = receivers.length === 0 ? failed : 0;
    await this.#memory.setAndSend(gangId, { gang, unasked }, signals, this.#ports);
  }
}

function isAlive({ status: { life, exit, isOver } }: MonitoredAgent): boolean {
  return life > 0 && exit === null && !isOver;
}

/** What the monitor remembers about one gang. */
type GangMemoryRecord = {
  readonly gang: GangFailures;
  /** How many had failed when no agent was alive to ask about it. */
  readonly unasked: number;
};

/** Times are stored as wall-clock instants, because the monotonic clock restarts with each owner. */
function gangCodec(clock: Pick<Clock, 'now' | 'elapsedMs'>): Codec<GangMemoryRecord> {
  const toInstant = (ms: number): number => Math.round(clock.now() - (clock.elapsedMs() - ms));
  const toElapsed = (instant: number): number =>
    clock.elapsedMs() - Math.max(0, clock.now() - instant);
  return {
    write: ({ gang: { failures, saidMs }, unasked }): GangRecord => ({
      failures: mapValues(failures, toInstant),
      reportedAt: saidMs === null ? null : toInstant(saidMs),
      unasked,
    }),
    read: (written) => {
      const { data } = GangRecord.safeParse(written);
      if (data === undefined) return undefined;
      const { failures, reportedAt, unasked } = data;
      const saidMs = reportedAt === null ? null : toElapsed(reportedAt);
      return { gang: { failures: mapValues(failures, toElapsed), saidMs }, unasked };
    },
  };
}

function mapValues(
  times: Readonly<Record<string, number>>,
  convert: (moment: number) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(times).map(([run, ms]) => [run, convert(ms)]));
}
