/**
 * The simulated world: the whole deciding program on virtual time. Users, agents, disk, network and
 * clock behave as the seed says. The invariants get the record of it.
 */
import { describeError } from '../../../src/base/errors.ts';
import { seededRandom } from '../../../src/base/random.ts';
import type { StoredEvent } from '../../../src/protocol/event.ts';
import { MemoryDisk } from '../../../src/store/memory/memory-disk.ts';
import { FactReader } from './fact-reader.ts';
import { AgentUsers } from './agents-people.ts';
import type { Owner } from './owner.ts';
import { Owners } from './owners.ts';
import { QueueFolders } from './queue-folder.ts';
import type { DiskFaults } from './owner-journal.ts';
import type { Ack, FollowedRun, WorldRemark, FaultRecord, WorldRecord } from './record.ts';
import type { Fault } from './machine-faults.ts';
import type { FaultKind, Scenario } from './scenario.ts';
import { drawScenario } from './scenario.ts';
import type { TreesFault } from './trees-users.ts';
import { TreesUsers } from './trees-users.ts';
import { TreesWorld } from './trees-world.ts';
import { Users } from './users.ts';
import { VirtualMachine } from './virtual-machine.ts';
import { WorldClock, clockTurn } from './world-clock.ts';

const STEPS_MAX = 50_000;
const ROUND_MS = 60_000;
const ROUNDS_MAX = 150;
/** By then an owner is up, and has continued interrupted applies. */
const LOOK_ROUND = 2;
/** How long agents run without faults before they are dismissed. */
const PEACE_ROUNDS = 15;
/** A run that a full disk blocks tries again after a second. */
const AFTER_FULL_MS = 1100;
const REAPER_SEED = 0x4ea9e4;
const TREES_SEED = 0x77ee5;

const DEATHS = {
  'crash-before-write': 'before',
  'crash-after-write': 'after',
  'power-cut': 'power',
} as const;

export class World {
  readonly scenario: Scenario;
  readonly clock = new WorldClock();
  readonly machine: VirtualMachine;
  readonly folders = new QueueFolders();
  readonly disk = new MemoryDisk();
  readonly facts = new FactReader(this.disk, this.clock);
  readonly acks: Ack[] = [];
  readonly followed: FollowedRun[] = [];
  readonly defects: string[] = [];
  readonly #diskFaults: DiskFaults = { delayMs: 0, death: null };
  readonly #kept: StoredEvent[] = [];
  readonly #troubles: FaultRecord[] = [];
  readonly #faults: { kind: FaultKind; elapsedMs: number }[] = [];
  readonly #remarks: WorldRemark[] = [];
  readonly #differences: string[] = [];
  readonly #compared = new Map<string, number>();
  readonly #logs: string[] = [];
  readonly #users: Users;
  readonly #agentsPeople: AgentUsers;
  readonly #trees: TreesWorld | undefined;
  readonly #treesPeople: TreesUsers | undefined;
  readonly #owners: Owners;
  #slowUntilMs = 0;
  #over = false;
  #stuck: readonly string[] = [];

  /** `change`: what a test sets differently from the seed. */
  constructor(seed: number, change: (drawn: Scenario) => Scenario = (drawn) => drawn) {
    this.scenario = change(drawScenario(seed, seededRandom(seed)));
    this.machine = new VirtualMachine(this.clock, seededRandom(seed + 0x5eed), this.scenario, {
      onRecord: (run, key) => this.facts.onRecord(run, key),
      happened: (fault) => this.#happened(fault),
      noted: (run, key) =>
        this.acks.push({ kind: 'noted', run, key, facts: this.disk.events.length }),
      broke: (error) => this.defect(error),
    });
    const { trees } = this.scenario;
    this.#trees =
      trees === null
        ? undefined
        : new TreesWorld(trees, seed + TREES_SEED, this.clock, () => this.facts.all());
    this.#owners = new Owners({
      scenario: this.scenario,
      disk: this.disk,
      facts: () => this.facts.all(),
      factsOf: (run) => {
        this.facts.all();
        return this.facts.of(run);
      },
      diskFaults: this.#diskFaults,
      clock: this.clock,
      machine: this.machine,
      folders: this.folders,
      trees: this.#trees,
      witness: {
        recorded: (asked, stored) => this.#keeps(asked.length, stored),
        full: (isFirstFact) => this.remark(isFirstFact ? 'refuse-for-disk' : 'hold-for-disk'),
      },
      compared: this.#compared,
      random: seededRandom(seed + REAPER_SEED),
      happened: (kind) => this.#happened(kind),
      log: (line) => this.#logs.push(line),
      onDefect: (error) => this.defect(error),
      onDifference: (what) => this.#differences.push(what),
    });
    this.#users = new Users(this);
    this.#agentsPeople = new AgentUsers(this);
    this.#treesPeople = this.#trees && new TreesUsers(this, this.#trees, this.#interrupt);
  }

  /** The owner that users reach now: none while it is down or opening. */
  get owner(): Owner | undefined {
    return this.#owners.last?.engine === undefined ? undefined : this.#owners.last;
  }

  defect(error: unknown): void {
    this.defects.push(describeError(error));
  }

  remark(decision: string): void {
    this.#remarks.push({ decision, elapsedMs: this.clock.elapsedMs });
  }

  async play(): Promise<WorldRecord> {
    const { acts, faults, horizonMs, agents, trees } = this.scenario;
    for (const act of acts) this.clock.after(act.atMs, () => this.#users.act(act));
    for (const act of agents?.acts ?? [])
      this.clock.after(act.atMs, () => this.#agentsPeople.act(act));
    for (const act of trees?.acts ?? [])
      this.clock.after(act.atMs, () => this.#treesPeople?.act(act));
    for (const one of trees?.interruptions ?? [])
      this.clock.after(one.atMs, () => this.#treesPeople?.arm(one));
    for (const fault of faults) this.clock.after(fault.atMs, () => this.#strike(fault));
    this.clock.after(horizonMs, () => {
      void this.#comeToRest().catch((error: unknown) => this.defect(error));
    });
    this.#owners.open();
    let steps = 0;
    do {
      await clockTurn();
      this.facts.all();
      this.#watchParked();
      steps += 1;
    } while (!this.#over && this.defects.length === 0 && steps < STEPS_MAX && this.clock.step());
    if (!this.#over) this.#stuck = this.facts.going;
    if (!this.#over && this.defects.length === 0)
      this.defect(new Error(`the world did not settle in ${steps} steps`));
    return this.record();
  }

  record(): WorldRecord {
    return {
      seed: this.scenario.seed,
      limits: this.scenario.limits,
      facts: this.facts.all(),
      kept: this.#kept,
      processes: this.machine.processes,
      acks: this.acks,
      followed: this.followed,
      eras: this.clock.eras,
      troubles: [...this.#troubles, ...this.#owners.troubles],
      faults: this.#faults,
      remarks: this.#remarks,
      defects: this.defects,
      differences: this.#differences,
      stuck: this.#stuck,
      logs: this.#logs,
      trees: this.#trees?.record() ?? null,
      queue: [...this.folders.files.keys()],
      laid: this.folders.laid,
    };
  }

  /**
   * Without faults and with a working disk, a run with nothing open and no end can only wait for
   * disk space.
   */
  #watchParked(): void {
    if (this.owner === undefined || this.clock.elapsedMs <= this.#slowUntilMs) return;
    for (let parked = this.facts.newlyIdle(); parked > 0; parked -= 1)
      this.remark('park-for-limit');
  }

  #keeps(asked: number, stored: readonly StoredEvent[]): void {
    this.#kept.push(...stored);
    if (asked !== stored.length)
      this.defect(new Error(`${asked} facts were appended, ${stored.length} were stored`));
  }

  #happened(kind: FaultKind): void {
    if (kind === 'power-cut') this.facts.forgetLost();
    this.#faults.push({ kind, elapsedMs: this.clock.elapsedMs });
  }

  #strike(fault: Fault): void {
    switch (fault.kind) {
      case 'owner-crash':
        this.#owners.crash(fault.kind, fault.downMs);
        return;
      case 'crash-before-write':
      case 'crash-after-write':
      case 'power-cut': {
        const { kind, writes, downMs } = fault;
        if (writes === 0) return this.#owners.losePower(downMs);
        const when = DEATHS[kind];
        this.#owners.downForMs = downMs;
        this.#diskFaults.death = { when, writes };
        return;
      }
      case 'owner-restart':
        void this.#owners.restart(fault.downMs).catch((error: unknown) => this.defect(error));
        return;
      case 'owner-overlap':
        this.#owners.overlap(fault.forMs);
        return;
      case 'disk-full':
        this.disk.full = true;
        this.#trouble(fault.kind, fault.forMs + AFTER_FULL_MS);
        this.clock.after(fault.forMs, () => (this.disk.full = false));
        return;
      case 'slow-disk':
        this.#diskFaults.delayMs = fault.delayMs;
        this.#trouble(fault.kind, fault.forMs + 60 * fault.delayMs);
        this.clock.after(fault.forMs, () => (this.#diskFaults.delayMs = 0));
        return;
      case 'clock-forward':
      case 'clock-back':
        this.#happened(fault.kind);
        this.clock.jump(fault.kind === 'clock-back' ? -fault.ms : fault.ms);
        return;
      case 'network-outage':
        this.#happened(fault.kind);
        this.machine.work.network = 'down';
        this.clock.after(fault.forMs, () => (this.machine.work.network = 'up'));
        return;
    }
  }

  readonly #interrupt: TreesFault = (interruption, project, path = ''): void => {
    if (interruption.kind === 'edit') this.#trees?.store.edit(project, interruption.path);
    else if (interruption.kind === 'edit-at-hand') this.#trees?.store.edit(project, path);
    else if (interruption.kind === 'power') this.#owners.losePower(interruption.downMs);
    else this.#owners.crash('owner-crash', interruption.downMs);
  };

  #trouble(kind: FaultKind, forMs: number): void {
    this.#happened(kind);
    const fromMs = this.clock.elapsedMs;
    this.#troubles.push({ fromMs, toMs: fromMs + forMs });
    this.#slowUntilMs = Math.max(this.#slowUntilMs, fromMs + forMs);
  }

  /** No more faults. Users answer every question and end endless work; then every run must end. */
  async #comeToRest(): Promise<void> {
    this.#diskFaults.death = null;
    this.disk.onSync = undefined;
    this.#trees?.steps.disarm();
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await this.clock.lasts(ROUND_MS);
      if (this.owner === undefined) continue;
      const { going } = this.facts;
      if (round >= LOOK_ROUND) this.#treesPeople?.settle();
      const isLooked = this.#trees === undefined || round > LOOK_ROUND;
      if (isLooked && going.length === 0 && this.machine.alive.length === 0) break;
      await this.#users.settle(going, round);
      if (round >= PEACE_ROUNDS) await this.#agentsPeople.letAllGo();
    }
    this.#stuck = this.facts.going;
    await this.#owners.last?.compare();
    const busy = this.owner?.engine?.busy();
    if (this.#stuck.length === 0 && busy !== undefined && busy.runs + busy.commands > 0)
      this.defect(new Error(`all has ended and the engine is busy: ${JSON.stringify(busy)}`));
    this.#over = true;
  }
}
