/** One owner of the state in the simulated world: the real engine on this world's disk, clock and machine. */
import type { Json } from '../../base/json.ts';
import { canonicalJson } from '../../base/json.ts';
import { seededLuck } from '../../base/luck.ts';
import { lifeProgram } from '../../lifecycle/life-program.ts';
import { attemptsProgram } from '../../attempts/attempts-program.ts';
import { CooldownBook } from '../../attempts/cooldown-book.ts';
import { coolingAt, foldCooldowns, NO_COOLDOWNS } from '../../attempts/cooldowns.ts';
import { coolPerformer, surveyPerformer } from '../../attempts/perform-survey.ts';
import { UsesBook } from '../../attempts/uses-book.ts';
import { EmbeddedEngine } from '../../engine/embedded/embedded-engine.ts';
import type { Folded } from '../../engine/embedded/load-run.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import type { Program } from '../../engine/program.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { foldRunView } from '../../protocol/run-view.ts';
import type { RunView } from '../../protocol/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import type { MemoryDisk } from '../../store/memory/memory-journal.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { puppetProgram } from '../puppet-program.ts';
import type { DiskFaults, JournalWitness } from './owner-journal.ts';
import { OwnerJournal } from './owner-journal.ts';
import type { Scenario } from './scenario.ts';
import type { QueueFolders } from './queue-folder.ts';
import { AgentsOwner } from './agents-owner.ts';
import { QUICK_MS, SIDE_COMMANDS } from './side-work.ts';
import type { OwnerLife, VirtualMachine } from './virtual-machine.ts';
import type { WorldClock } from './world-clock.ts';

const PROGRAMS: readonly Program<Json>[] = [
  attemptsProgram,
  puppetProgram,
  lifeProgram,
] as readonly unknown[] as readonly Program<Json>[];

export type OwnerPorts = {
  readonly scenario: Scenario;
  readonly disk: MemoryDisk;
  /** Everything on the disk; of one run, what it has written itself. */
  readonly facts: () => readonly StoredEvent[];
  readonly factsOf: (run: string) => readonly StoredEvent[];
  readonly diskFaults: DiskFaults;
  readonly clock: WorldClock;
  readonly machine: VirtualMachine;
  readonly folders: QueueFolders;
  readonly witness: JournalWitness;
  /** By run, the fact up to which its states were compared. */
  readonly compared: Map<string, number>;
  readonly log: (line: string) => void;
  readonly onDefect: (error: unknown) => void;
  readonly onDifference: (what: string) => void;
};

export class Owner {
  readonly life: OwnerLife;
  readonly journal: Journal;
  /** Undefined in a world where nobody lives long. */
  readonly agents: AgentsOwner | undefined;
  readonly #ports: OwnerPorts;
  #cooldowns: CooldownBook | undefined;
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
      luck: seededLuck(scenario.seed * 2000 + life.number),
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

  async open(): Promise<void> {
    const { scenario, clock, machine, onDefect } = this.#ports;
    await this.compare();
    const own = await this.agents?.open();
    const now = clock.of(this.life);
    const { snapshotEvery } = scenario;
    const cooldowns = await CooldownBook.open({ journal: this.journal, clock: now, snapshotEvery });
    this.#cooldowns = cooldowns;
    const uses = new UsesBook(this.journal);
    const engine = await EmbeddedEngine.open({
      journal: this.journal,
      clock: now,
      luck: seededLuck(scenario.seed * 1000 + this.life.number),
      programs: PROGRAMS,
      performers: [
        ...['attempt', 'dance', ...SIDE_COMMANDS].map((command) =>
          machine.performer(command, this.life, own?.turns),
        ),
        ...[surveyPerformer({ clock: now, cooldowns, uses }), coolPerformer(cooldowns)].map(
          (real) => machine.watched(real, this.life, QUICK_MS),
        ),
        ...(own?.performers ?? []),
      ],
      limits: scenario.limits,
      snapshotEvery,
      onDefect: (_run, error) => {
        if (this.life.alive && !this.life.isSuperseded) onDefect(error);
      },
    });
    this.engine = engine;
    await this.agents?.start(engine);
    this.isOpen = true;
  }

  /** In good order: what is above is let go of before what it stands on. */
  async close(): Promise<void> {
    await this.agents?.stop();
    await this.engine?.close();
    await this.agents?.close();
    if (this.life.alive) await this.journal.close();
  }

  /** Whether the quick ways to a state (snapshots, projections) lead where the long way leads. */
  async compare(): Promise<void> {
    for (const view of await this.journal.runs({ limit: 1000 })) {
      const program = PROGRAMS.find(({ name }) => name === view.program);
      // What has not changed since leads where it led.
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

  /** Who rests, as this owner believes, and as the facts say. */
  #compareCooldowns(): void {
    if (this.#cooldowns === undefined) return;
    const facts = this.#ports.facts().reduce(foldCooldowns, NO_COOLDOWNS);
    const told = coolingAt(facts, this.#ports.clock.now());
    const [quick, slow] = [this.#cooldowns.cooling(), told].map((list) => JSON.stringify(list));
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

/** Most are written in the same order, too, which is quicker to see. */
function isSame<Value extends Folded | RunView>(
  one: Value | undefined,
  other: typeof one,
): boolean {
  return JSON.stringify(one) === JSON.stringify(other) || textOf(one) === textOf(other);
}

function textOf(value: Folded | RunView | undefined): string {
  return canonicalJson(value ?? null);
}

function withoutSnapshots(journal: Journal): Journal {
  return {
    readStream: (stream, page) => journal.readStream(stream, page),
    loadSnapshot: () => Promise.resolve(undefined),
  } as Partial<Journal> as Journal;
}
