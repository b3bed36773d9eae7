/** The gang monitor: where several that belong together fail together, all begin again, or a person is asked. */
import { BoundedQueue } from '../base/bounded-queue.ts';
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import type { Gang, GangPolicy } from '../monitors/gang.ts';
import { DEFAULT_GANG, foldGang, NO_GANG } from '../monitors/gang.ts';
import type { ChildSpec, Exit } from '../supervision/index.ts';
import { gangOf } from './gangs.ts';
import { every, monitorChild, together } from './monitor-child.ts';
import { sendSignals } from './send-signals.ts';
import type { LivingAgent, Watched } from './watched.ts';

export type GangPorts = {
  readonly clock: Clock;
  readonly agents: Watched;
  readonly say: (note: string) => void;
  readonly log: (line: string) => void;
  readonly policy?: GangPolicy;
};

const QUEUE_MAX = 10_000;
const ASK_EVERY_MS = 5000;

export function gangChild(ports: GangPorts): ChildSpec {
  return monitorChild('gang', (signal) => {
    const monitor = new GangMonitor(ports);
    return together(
      signal,
      (until) => monitor.watch(until),
      (until) => every(ports.clock, ASK_EVERY_MS, until, () => monitor.askAgain()),
    );
  });
}

class GangMonitor {
  readonly #ports: GangPorts;
  readonly #gangs = new Map<string, Gang>();
  /** By place, those that nobody could be asked about yet, and how many had failed. */
  readonly #unasked = new Map<string, number>();

  constructor(ports: GangPorts) {
    this.#ports = ports;
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
    const places = new Set(this.#ports.agents.living().map(gangOf));
    for (const [place, failed] of this.#unasked)
      if (places.has(place)) await this.#tell(place, failed);
      else this.#unasked.delete(place);
  }

  async #judge(run: RunId): Promise<void> {
    const { agents, clock, policy = DEFAULT_GANG } = this.#ports;
    const one = agents.get(run);
    if (one === undefined) return; // nobody knows it any more
    const places = new Set(agents.living().map(gangOf));
    for (const place of this.#gangs.keys()) if (!places.has(place)) this.#gangs.delete(place);
    const place = gangOf(one);
    const before = this.#gangs.get(place) ?? NO_GANG;
    const { gang, failed } = foldGang(before, run, clock.elapsedMs(), policy);
    this.#gangs.set(place, gang);
    if (failed === 0) return;
    this.#ports.say(`${failed} below ${one.settings.supervisor} failed together`);
    await this.#tell(place, failed);
  }

  /** Whoever is down begins again in any case: it is the others that have to hear of it. */
  async #tell(place: string, failed: number): Promise<void> {
    const { agents, log } = this.#ports;
    const alive = agents
      .living()
      .filter((agent) => gangOf(agent) === place)
      .filter(isAlive);
    // One question is enough for all of them; a restart is each one's own.
    const asker = alive.find(({ settings }) => settings.cut.onGang === 'ask');
    const others = alive.filter(({ settings }) => settings.cut.onGang === 'restart-all');
    if (asker === undefined && others.length === 0) this.#unasked.set(place, failed);
    else this.#unasked.delete(place);
    for (const { run } of [...(asker === undefined ? [] : [asker]), ...others])
      await sendSignals(run, [{ kind: 'trigger', trigger: { kind: 'gang', failed } }], agents, log);
  }
}

function isAlive({ standing: { life, exit, over } }: LivingAgent): boolean {
  return life > 0 && exit === null && !over;
}
