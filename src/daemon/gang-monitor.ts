/** The gang monitor: where several that belong together fail together, all begin again, or a person is asked. */
import { BoundedQueue } from '../base/bounded-queue.ts';
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import type { Gang, GangPolicy } from '../monitors/gang.ts';
import { DEFAULT_GANG, foldGang, NO_GANG } from '../monitors/gang.ts';
import { GANG_CHOICES } from '../monitors/triggers.ts';
import type { Signal } from '../protocol/event.ts';
import type { ChildSpec, Exit } from '../supervision/index.ts';
import { pinnedPlace, POOL } from './agent-places.ts';
import { every, monitorChild, together } from './monitor-child.ts';
import { sendSignals } from './send-signals.ts';
import type { LivingAgent, Watched } from './watched.ts';

export type GangPorts = {
  readonly clock: Clock;
  readonly agents: Watched;
  /** What people answer from now on, whoever asked. */
  readonly answers: (signal: AbortSignal) => AsyncIterable<Answer>;
  readonly say: (note: string) => void;
  readonly log: (line: string) => void;
  readonly policy?: GangPolicy;
};

export type Answer = { readonly run: RunId; readonly answer: string };

const QUEUE_MAX = 10_000;
const ALONE: readonly string[] = [pinnedPlace(''), pinnedPlace(POOL)];
const ASK_EVERY_MS = 5000;

export function gangChild(ports: GangPorts): ChildSpec {
  return monitorChild('gang', (signal) => {
    const monitor = new GangMonitor(ports);
    return together(
      signal,
      (until) => monitor.watch(until),
      (until) => every(ports.clock, ASK_EVERY_MS, until, () => monitor.askAgain()),
      (until) => hearAnswers(ports, until),
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
    const places = new Set(this.#ports.agents.living().map(placeOf));
    for (const [place, failed] of this.#unasked)
      if (places.has(place)) await this.#tell(place, failed);
      else this.#unasked.delete(place);
  }

  async #judge(run: RunId): Promise<void> {
    const { agents, clock, policy = DEFAULT_GANG } = this.#ports;
    const one = agents.get(run);
    if (one === undefined) return; // nobody knows it any more
    const places = new Set(agents.living().map(placeOf));
    for (const place of this.#gangs.keys()) if (!places.has(place)) this.#gangs.delete(place);
    const place = placeOf(one);
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
      .filter((agent) => placeOf(agent) === place)
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

/** Who was asked does as it was told; its siblings hear of it from us. */
async function hearAnswers(ports: GangPorts, signal: AbortSignal): Promise<void> {
  const { agents, log } = ports;
  for await (const { run, answer } of ports.answers(signal)) {
    const signals = spread(answer);
    const one = signals.length === 0 ? undefined : agents.get(run);
    if (one === undefined) continue;
    for (const sibling of siblingsOf(one, agents))
      await sendSignals(sibling.run, signals, agents, log);
  }
}

function spread(answer: string): readonly Signal[] {
  const [restartAll, stopAll] = GANG_CHOICES;
  if (answer === restartAll)
    return [{ kind: 'trigger', trigger: { kind: 'gang', failed: 0, decided: true } }];
  return answer === stopAll
    ? [
        {
          kind: 'dismiss',
          because: 'Several below its supervisor failed together, and a person ended all of them.',
        },
      ]
    : [];
}

function siblingsOf(one: LivingAgent, agents: Pick<Watched, 'living'>): readonly LivingAgent[] {
  return agents
    .living()
    .filter((agent) => agent.run !== one.run && placeOf(agent) === placeOf(one));
}

/**
 * Those that somebody has put together below a supervisor are a gang, and so are the children of one parent.
 * All others fail alone. Another project has supervisors of its own by the same names.
 */
function placeOf({ run, project, settings: { supervisor, parent } }: LivingAgent): string {
  if (!ALONE.includes(supervisor)) return `${project}\0${supervisor}`;
  return parent === null ? run : `${project}\0of ${parent}`;
}
