/** One owner in the simulated world: the real engine on this world's disk, clock and machine. */
import type { Json } from '../../../src/base/json.ts';
import { canonicalJson } from '../../../src/base/json.ts';
import { seededRandom } from '../../../src/base/random.ts';
import { agentProgram } from '../../../src/agents/agent-program.ts';
import { attemptsProgram } from '../../../src/attempts/attempts-program.ts';
import { CooldownStore } from '../../../src/limits/cooldown-store.ts';
import { coolingAt, foldCooldowns, NO_COOLDOWNS } from '../../../src/limits/cooldown-state.ts';
import {
  cooldownPerformer,
  availabilityPerformer,
} from '../../../src/limits/perform-availability.ts';
import { AgentUsageStore } from '../../../src/limits/agent-usage-store.ts';
import { EmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import type { LoadedRun } from '../../../src/engine/embedded/load-run.ts';
import { loadRun } from '../../../src/engine/embedded/load-run.ts';
import type { Program } from '../../../src/engine/program.ts';
import type { CooldownEvent, RunEvent, StoredEvent } from '../../../src/protocol/event.ts';
import { COOLDOWN_STREAM } from '../../../src/protocol/streams.ts';
import { foldRunView } from '../../../src/protocol/views/run-view.ts';
import type { RunView } from '../../../src/protocol/views/run-view.ts';
import type { Journal } from '../../../src/store/journal.ts';
import type { MemoryDisk } from '../../../src/store/memory/memory-disk.ts';
import { MemoryJournal } from '../../../src/store/memory/memory-journal.ts';
import { fakeProgram } from '../../../src/testing/fakes/fake-program.ts';
import type { DiskFaults, JournalWitness } from './owner-journal.ts';
import { OwnerJournal } from './owner-journal.ts';
import type { Scenario } from './scenario.ts';
import type { QueueFolders } from './queue-folder.ts';
import { AgentsOwner } from './agents-owner.ts';
import { TreesOwner } from './trees-owner.ts';
import type { TreesWorld } from './trees-world.ts';
import { QUICK_MS, BACKGROUND_COMMANDS } from './background-work.ts';
import type { OwnerProcess, VirtualMachine } from './virtual-machine.ts';
import type { WorldClock } from './world-clock.ts';

const PROGRAMS: readonly Program<Json>[] = [
  attemptsProgram,
  fakeProgram,
  agentProgram,
] as readonly unknown[] as readonly Program<Json>[];

export type OwnerPorts = {
  readonly scenario: Scenario;
  readonly disk: MemoryDisk;
  /** Everything on the disk; for one run, its own stream. */
  readonly facts: () => readonly StoredEvent[];
  readonly factsOf: (run: string) => readonly RunEvent[];
  readonly diskFaults: DiskFaults;
  readonly clock: WorldClock;
  readonly machine: VirtualMachine;
  readonly folders: QueueFolders;
  /** Undefined in a world without trees. */
  readonly trees: TreesWorld | undefined;
  readonly witness: JournalWitness;
  /** For each run, the fact up to which its states were compared. */
  readonly compared: Map<string, number>;
  readonly log: (line: string) => void;
  readonly onDefect: (error: unknown) => void;
  readonly onDifference: (what: string) => void;
};

export class Owner {
  readonly life: OwnerProcess;
  readonly journal: Journal;
  /** Undefined in a world without long-lived agents. */
  readonly agents: AgentsOwner | undefined;
  readonly trees: TreesOwner | undefined;
  readonly #ports: OwnerPorts;
  #cooldowns: CooldownStore | undefined;
  /** Undefined while it opens. */
  engine: EmbeddedEngine | undefined;
  /** All of it is up. */
  isOpen = false;

  constructor(number: number, ports: OwnerPorts) {
    const { disk, clock, diskFaults, witness } = ports;
    this.life = { number, alive: true, isSuperseded: false };
    this.#ports = ports;
    const inner = new MemoryJournal(disk);
    this.journal = new OwnerJournal(inner, this.life, clock, diskFaults, witness);
    this.agents = this.#agentsOwner();
    this.trees = this.#treesOwner();
  }

  #agentsOwner(): AgentsOwner | undefined {
    const { scenario, clock, machine, folders, onDefect, log } = this.#ports;
    const { life, journal } = this;
    if (scenario.agents === null) return undefined;
    return new AgentsOwner({
      scenario: scenario.agents,
      life,
      journal,
      clock: clock.of(life),
      random: seededRandom(scenario.seed * 2000 + life.number),
      machine,
      folders,
      log: (line) => {
        if (life.alive) log(line);
      },
      onDefect: (error) => {
        if (!life.isSuperseded) onDefect(error);
      },
    });
  }

  #treesOwner(): TreesOwner | undefined {
    const { trees: world, clock, log } = this.#ports;
    const { life, journal } = this;
    if (world === undefined) return undefined;
    return new TreesOwner({ world, life, journal, clock: clock.of(life), log });
  }

  async open(): Promise<void> {
    const { scenario, clock, machine, onDefect } = this.#ports;
    await this.compare();
    const own = await this.agents?.open();
    const now = clock.of(this.life);
    const { snapshotEvery } = scenario;
    const cooldowns = await CooldownStore.open({
      journal: this.journal,
      clock: now,
      snapshotEvery,
    });
    this.#cooldowns = cooldowns;
    const usage = new AgentUsageStore({ journal: this.journal, clock: now });
    const engine = await EmbeddedEngine.open({
      journal: this.journal,
      clock: now,
      random: seededRandom(scenario.seed * 1000 + this.life.number),
      programs: PROGRAMS,
      performers: [
        ...['attempt', 'dance', ...BACKGROUND_COMMANDS].map((command) =>
          machine.performer(command, this.life, { turns: own?.turns, trees: this.trees }),
        ),
        ...[
          availabilityPerformer({ clock: now, cooldowns, usage }),
          cooldownPerformer(cooldowns, now),
        ].map((real) => machine.watched(real, this.life, QUICK_MS)),
        ...(own?.performers ?? []),
      ],
      limits: scenario.limits,
      snapshotEvery,
      onDefect: (_run, error) => {
        if (this.life.alive && !this.life.isSuperseded) onDefect(error);
      },
    });
    this.engine = engine;
    await this.trees?.start(engine);
    await this.agents?.start(engine);
    this.isOpen = true;
  }

  /** Closes in order: each layer before the layer that it depends on. */
  async close(): Promise<void> {
    await this.agents?.stop();
    await this.engine?.close();
    await this.agents?.close();
    if (this.life.alive) await this.journal.close();
  }

  /**
   * Whether the fast paths to a state (snapshots, projections) give the same state as a full fold.
   */
  async compare(): Promise<void> {
    for (const view of await this.journal.runs({ limit: 1000 })) {
      const program = PROGRAMS.find(({ name }) => name === view.program);
      // A run without new facts still gives the same state.
      if (program === undefined || this.#ports.compared.get(view.id) === view.seq) continue;
      this.#ports.compared.set(view.id, view.seq);
      const quick = await loadRun(this.journal, program, view.id);
      const slow = await loadRun(withoutSnapshots(this.journal), program, view.id);
      if (!isSame(quick, slow))
        this.#ports.onDifference(
          `run ${view.id} by its snapshot: ${textOf(quick)}, by its facts: ${textOf(slow)}`,
        );
      this.compareView(view);
    }
    this.#compareCooldowns();
    for (const what of this.agents?.differences(this.#ports.facts()) ?? [])
      this.#ports.onDifference(what);
  }

  /** The cooldowns that this owner has in memory, and those that the facts show. */
  #compareCooldowns(): void {
    if (this.#cooldowns === undefined) return;
    const facts = this.#ports.facts().filter(isCooldownEvent).reduce(foldCooldowns, NO_COOLDOWNS);
    const reported = coolingAt(facts, this.#ports.clock.now());
    const [quick, slow] = [this.#cooldowns.cooling(), reported].map((list) => JSON.stringify(list));
    if (quick !== slow) this.#ports.onDifference(`cooldowns: ${quick}, by their facts: ${slow}`);
  }

  compareView(view: RunView): void {
    const slow = this.#ports
      .factsOf(view.id)
      .filter((fact) => fact.seq <= view.seq)
      .reduce(foldRunView, undefined as RunView | undefined);
    if (!isSame(view, slow))
      this.#ports.onDifference(
        `view of ${view.id}: ${textOf(view)}, by its facts: ${textOf(slow)}`,
      );
  }
}

/** Most have the same key order too, which is faster to compare. */
function isSame<Value extends LoadedRun | RunView>(
  one: Value | undefined,
  other: typeof one,
): boolean {
  return JSON.stringify(one) === JSON.stringify(other) || textOf(one) === textOf(other);
}

function textOf(value: LoadedRun | RunView | undefined): string {
  return canonicalJson((value ?? null) as Json);
}

function withoutSnapshots(journal: Journal): Journal {
  return {
    readStream: (stream, page) => journal.readStream(stream, page),
    loadSnapshot: () => Promise.resolve(undefined),
  } as Partial<Journal> as Journal;
}

function isCooldownEvent(event: StoredEvent): event is CooldownEvent {
  return event.stream === COOLDOWN_STREAM;
}
