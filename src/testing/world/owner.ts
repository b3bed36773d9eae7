/** One owner of the state in the simulated world: the real engine on this world's disk, clock and machine. */
import type { Json } from '../../base/json.ts';
import { canonicalJson } from '../../base/json.ts';
import { seededLuck } from '../../base/luck.ts';
import { attemptsProgram } from '../../attempts/attempts-program.ts';
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
import { SIDE_COMMANDS } from './side-work.ts';
import type { OwnerLife, VirtualMachine } from './virtual-machine.ts';
import type { WorldClock } from './world-clock.ts';

const PROGRAMS: readonly Program<Json>[] = [
  attemptsProgram,
  puppetProgram,
] as readonly unknown[] as readonly Program<Json>[];

export type OwnerPorts = {
  readonly scenario: Scenario;
  readonly disk: MemoryDisk;
  /** Everything on the disk. */
  readonly facts: () => readonly StoredEvent[];
  readonly diskFaults: DiskFaults;
  readonly clock: WorldClock;
  readonly machine: VirtualMachine;
  readonly witness: JournalWitness;
  readonly onDefect: (error: unknown) => void;
  readonly onDifference: (what: string) => void;
};

export class Owner {
  readonly life: OwnerLife;
  readonly journal: Journal;
  readonly #ports: OwnerPorts;
  /** Undefined while it opens. */
  engine: EmbeddedEngine | undefined;

  constructor(number: number, ports: OwnerPorts) {
    const { disk, clock, diskFaults, witness } = ports;
    this.life = { number, alive: true };
    this.#ports = ports;
    const inner = new MemoryJournal(disk);
    this.journal = new OwnerJournal(inner, this.life, clock, diskFaults, witness);
  }

  async open(): Promise<void> {
    const { scenario, clock, machine, onDefect } = this.#ports;
    await this.compare();
    this.engine = await EmbeddedEngine.open({
      journal: this.journal,
      clock: clock.of(this.life),
      luck: seededLuck(scenario.seed * 1000 + this.life.number),
      programs: PROGRAMS,
      performers: ['attempt', 'dance', ...SIDE_COMMANDS].map((command) =>
        machine.performer(command, this.life),
      ),
      limits: scenario.limits,
      snapshotEvery: scenario.snapshotEvery,
      onDefect: (_run, error) => {
        if (this.life.alive) onDefect(error);
      },
    });
  }

  /** Whether the quick ways to a state (snapshots, projections) lead where the long way leads. */
  async compare(): Promise<void> {
    for (const view of await this.journal.runs({ limit: 1000 })) {
      const program = PROGRAMS.find(({ name }) => name === view.program);
      if (program === undefined) continue;
      const quick = await loadRun(this.journal, program, view.id);
      const slow = await loadRun(withoutSnapshots(this.journal), program, view.id);
      if (textOf(quick) !== textOf(slow))
        this.#ports.onDifference(
          `run ${view.id} by its snapshot: ${textOf(quick)}, by its facts: ${textOf(slow)}`,
        );
      this.compareView(view);
    }
  }

  compareView(view: RunView): void {
    const stream = `run/${view.id}`;
    const slow = this.#ports
      .facts()
      .filter((fact) => fact.stream === stream && fact.seq <= view.seq)
      .reduce(foldRunView, undefined as RunView | undefined);
    if (textOf(view) !== textOf(slow))
      this.#ports.onDifference(
        `view of ${view.id}: ${textOf(view)}, by its facts: ${textOf(slow)}`,
      );
  }
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
