/** All that one owner has for long-lived agents in the simulated world: the real parts, on this world's ports. */
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Luck } from '../../base/luck.ts';
import type { AgentsDesk } from '../../daemon/agents-desk.ts';
import { AgentsPart } from '../../daemon/agents-part.ts';
import { budgetChild } from '../../daemon/budget-monitor.ts';
import { Deeds } from '../../daemon/deeds.ts';
import { gangChild } from '../../daemon/gang-monitor.ts';
import { siblingsOf } from '../../daemon/gangs.ts';
import { healthChild } from '../../daemon/health-monitor.ts';
import type { OwnerOptions } from '../../daemon/owner-options.ts';
import { parentOf } from '../../daemon/parent-of.ts';
import type { Ground } from '../../daemon/places.ts';
import { TreeBook } from '../../daemon/tree-book.ts';
import { WatchBook } from '../../daemon/watch-book.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Performer } from '../../engine/performer.ts';
import { lifeProgram } from '../../lifecycle/life-program.ts';
import type { LifeState } from '../../lifecycle/life-state.ts';
import { putPerformer, takePerformer } from '../../lifecycle/perform-queue.ts';
import { spreadPerformer } from '../../lifecycle/perform-spread.ts';
import { tellPerformer } from '../../lifecycle/perform-tell.ts';
import { standingOf } from '../../lifecycle/standing.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { defaultSettings } from '../../protocol/to-settings.ts';
import type { Journal } from '../../store/journal.ts';
import { Supervisor, supervisorChild } from '../../supervision/index.ts';
import type { AgentsScenario } from './agents-scenario.ts';
import type { QueueFolders } from './queue-folder.ts';
import type { TurnPorts } from './turns.ts';
import type { OwnerLife, VirtualMachine } from './virtual-machine.ts';

export type AgentsOwnerPorts = {
  readonly scenario: AgentsScenario;
  readonly life: OwnerLife;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly luck: Luck;
  readonly machine: VirtualMachine;
  readonly folders: QueueFolders;
  readonly log: (line: string) => void;
  readonly onDefect: (error: unknown) => void;
};

/** As those of the branches of a real owner. */
const INTENSITY = { restartsMax: 3, withinMs: 600_000 };
const BACKOFF = { baseMs: 50, maxMs: 5000 };

export class AgentsOwner {
  readonly #ports: AgentsOwnerPorts;
  readonly #tree: TreeBook;
  readonly #deeds = new Deeds();
  readonly #part: AgentsPart;
  #book: Awaited<ReturnType<AgentsPart['open']>>['book'] | undefined;
  #watches: WatchBook | undefined;
  #engine: Engine | undefined;
  #branches: Supervisor | undefined;
  #leaving = false;

  constructor(ports: AgentsOwnerPorts) {
    const { clock, luck, log, scenario } = ports;
    this.#ports = ports;
    this.#tree = new TreeBook(clock);
    this.#part = new AgentsPart({ clock, luck, log } as OwnerOptions, {
      tree: this.#tree,
      ground: {} as Ground, // nobody asks it anything: the machine is below
      engine: () => this.#running,
      signal: (run, signal) => this.#running.signal(run, signal),
      machine: {
        settings: (project) => Promise.resolve(scenario.settings.get(project) ?? defaultSettings),
        ready: () => Promise.resolve('claude'),
        preflight: () =>
          Promise.resolve(luck() < scenario.preflight ? ['There is no room on the disk.'] : []),
      },
    });
  }

  /** Refuses while they are not there. */
  get desk(): AgentsDesk {
    return this.#part.desk;
  }

  /** Before the engine: what it performs for agents. */
  async open(): Promise<{ readonly turns: TurnPorts; readonly performers: readonly Performer[] }> {
    const { journal, clock, life, folders, machine } = this.#ports;
    const { purses, book } = await this.#part.open(journal);
    this.#book = book;
    this.#watches = await WatchBook.open({ journal, clock });
    const files = folders.of(life);
    const signal: Engine['signal'] = (run, said) => this.#running.signal(run, said);
    const real = [
      takePerformer({ clock, files }),
      putPerformer(files),
      spreadPerformer({
        clock,
        signal,
        siblingsOf: (run) => siblingsOf(run, this.#part.watched()),
      }),
      tellPerformer({ clock, signal, parentOf: (run) => parentOf(journal, run) }),
    ];
    return {
      turns: { clock, pursesOf: purses.of, deeds: this.#deeds },
      performers: real.map((one) => machine.watched(one, life)),
    };
  }

  /** All agents are taken up then, and watched over. */
  async start(engine: Engine): Promise<void> {
    const { clock } = this.#ports;
    this.#engine = engine;
    const branch = this.#part.branch();
    if (!('start' in branch)) throw new Error('the agents have no branch of their own');
    const observe = (path: string): ReturnType<TreeBook['supervisor']> =>
      this.#tree.supervisor(`owner/branches/${path}`, 'one-for-one');
    this.#branches = await Supervisor.start(
      {
        intensity: INTENSITY,
        backoff: BACKOFF,
        children: [
          supervisorChild({ id: 'agents' }, (signal) => branch.start(observe('agents'), signal)),
          supervisorChild({ id: 'monitors' }, (signal) =>
            Supervisor.start(
              { intensity: INTENSITY, backoff: BACKOFF, children: this.#monitors() },
              { clock, observe: observe('monitors') },
              signal,
            ),
          ),
        ],
      },
      { clock, observe: this.#tree.supervisor('owner/branches', 'one-for-one') },
    );
    void this.#mournBranches(this.#branches);
  }

  async #mournBranches(branches: Supervisor): Promise<void> {
    const end = await branches.ended;
    const { life, onDefect } = this.#ports;
    if (life.alive && !this.#leaving)
      onDefect(new Error(`the branches of the owner have ended: ${JSON.stringify(end)}`));
  }

  /** The branches first; the engine and the journal are somebody else's to close. */
  async stop(): Promise<void> {
    this.#leaving = true;
    await this.#branches?.stop();
  }

  close(): Promise<void> {
    return this.#part.close();
  }

  /** Where the book of agents differs from what their facts tell. */
  differences(facts: readonly StoredEvent[]): readonly string[] {
    const own = Map.groupBy(facts, ({ stream }) => stream);
    return (this.#book?.all() ?? []).flatMap(({ run, standing, outcome }) => {
      const [first, ...rest] = own.get(`run/${run}`) ?? [];
      if (first?.type !== 'run.submitted') return [`agent ${run} is in the book alone`];
      const state = rest.reduce<LifeState>(
        (before, fact) => lifeProgram.fold(before, fact),
        lifeProgram.start(first.payload),
      );
      const slow = { ...standingOf(state), ...(outcome === null ? {} : { over: true }) };
      const [quick, told] = [standing, slow].map((one) => canonicalJson(plain(one)));
      return quick === told ? [] : [`agent ${run} in the book: ${quick}, by its facts: ${told}`];
    });
  }

  #monitors(): readonly ReturnType<typeof healthChild>[] {
    const { clock, log } = this.#ports;
    const watches = (): WatchBook => this.#watches ?? notOpen();
    const say = (): void => undefined;
    const ports = { clock, log, deeds: this.#deeds, agents: this.#part.watched(), watches, say };
    return [
      healthChild({ ...ports, printOf: () => Promise.resolve('always the same') }),
      budgetChild(ports),
      gangChild(ports),
    ];
  }

  get #running(): Engine {
    if (this.#engine !== undefined) return this.#engine;
    throw new Refusal({ code: 'owner.closing', message: 'The engine is on its way up.' });
  }
}

function notOpen(): never {
  throw new Error('nobody watches before the journal is read');
}

function plain(value: object): Parameters<typeof canonicalJson>[0] {
  return JSON.parse(JSON.stringify(value)) as Parameters<typeof canonicalJson>[0];
}
