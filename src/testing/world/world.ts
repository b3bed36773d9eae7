/**
 * The simulated world: the whole deciding program on virtual time. Users, agents, the disk, the
 * network and the clock do what the seed drew; the record of it all goes to the invariants.
 */
import { describeError } from '../../base/errors.ts';
import type { Luck } from '../../base/luck.ts';
import { drawInt, seededLuck } from '../../base/luck.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { MemoryDisk } from '../../store/memory/memory-journal.ts';
import { FactReader } from './fact-reader.ts';
import { AgentsPeople } from './agents-people.ts';
import { Owner } from './owner.ts';
import { QueueFolders } from './queue-folder.ts';
import type { DiskFaults } from './owner-journal.ts';
import type { Ack, Followed, Remark, Trouble, WorldRecord } from './record.ts';
import type { Fault, FaultKind, Scenario } from './scenario.ts';
import { drawScenario } from './scenario.ts';
import { Users } from './users.ts';
import { VirtualMachine } from './virtual-machine.ts';
import { WorldClock, turn } from './world-clock.ts';

const STEPS_MAX = 50_000;
const ROUND_MS = 60_000;
const ROUNDS_MAX = 150;
/** So long agents are left in peace before they are let go. */
const PEACE_ROUNDS = 15;
/** A run that is held by a full disk looks again after a second. */
const AFTER_FULL_MS = 1100;
const NEVER_MS = 1_000_000_000;
const REAPER_SEED = 0x4ea9e4;

export class World {
  readonly scenario: Scenario;
  readonly clock = new WorldClock();
  readonly machine: VirtualMachine;
  readonly folders = new QueueFolders();
  readonly disk = new MemoryDisk();
  readonly facts = new FactReader(this.disk, this.clock);
  readonly acks: Ack[] = [];
  readonly followed: Followed[] = [];
  readonly defects: string[] = [];
  readonly #diskFaults: DiskFaults = { delayMs: 0, death: null };
  readonly #kept: StoredEvent[] = [];
  readonly #troubles: Trouble[] = [];
  readonly #faults: { kind: FaultKind; elapsedMs: number }[] = [];
  readonly #remarks: Remark[] = [];
  readonly #differences: string[] = [];
  readonly #compared = new Map<string, number>();
  readonly #logs: string[] = [];
  /** For the reaper: chance of its own, so that it changes nothing else. */
  readonly #luck: Luck;
  readonly #users: Users;
  readonly #agentsPeople: AgentsPeople;
  #owner: Owner | undefined;
  #owners = 0;
  /** Since when nobody has been there to decide; undefined while an owner is at work. */
  #downSinceMs: number | undefined = 0;
  #downForMs = 0;
  #slowUntilMs = 0;
  #over = false;
  #stuck: readonly string[] = [];

  /** `change`: what a test wants to be otherwise than it was drawn. */
  constructor(seed: number, change: (drawn: Scenario) => Scenario = (drawn) => drawn) {
    this.scenario = change(drawScenario(seed, seededLuck(seed)));
    this.#luck = seededLuck(seed + REAPER_SEED);
    this.machine = new VirtualMachine(this.clock, seededLuck(seed + 0x5eed), this.scenario, {
      onRecord: (run, key) => this.facts.onRecord(run, key),
      happened: (fault) => this.#happened(fault),
      noted: (run, key) =>
        this.acks.push({ kind: 'noted', run, key, facts: this.disk.events.length }),
    });
    this.#users = new Users(this);
    this.#agentsPeople = new AgentsPeople(this);
  }

  /** The owner whom users reach now: none while it is down, or opens. */
  get owner(): Owner | undefined {
    return this.#owner?.engine === undefined ? undefined : this.#owner;
  }

  defect(error: unknown): void {
    this.defects.push(describeError(error));
  }

  remark(decision: string): void {
    this.#remarks.push({ decision, elapsedMs: this.clock.elapsedMs });
  }

  async play(): Promise<WorldRecord> {
    const { acts, faults, horizonMs, agents } = this.scenario;
    for (const act of acts) this.clock.after(act.atMs, () => this.#users.act(act));
    for (const act of agents?.acts ?? [])
      this.clock.after(act.atMs, () => this.#agentsPeople.act(act));
    for (const fault of faults) this.clock.after(fault.atMs, () => this.#strike(fault));
    this.clock.after(horizonMs, () => {
      void this.#comeToRest().catch((error: unknown) => this.defect(error));
    });
    this.#open();
    let steps = 0;
    do {
      await turn();
      this.facts.all();
      this.#watchParked();
      steps += 1;
    } while (!this.#over && this.defects.length === 0 && steps < STEPS_MAX && this.clock.step());
    if (!this.#over) this.#stuck = this.facts.going;
    if (!this.#over && this.defects.length === 0)
      this.defect(new Error(`the world came to no rest in ${steps} steps`));
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
      troubles: this.#troubles,
      faults: this.#faults,
      remarks: this.#remarks,
      defects: this.defects,
      differences: this.#differences,
      stuck: this.#stuck,
      logs: this.#logs,
      queue: [...this.folders.files.keys()],
      laid: this.folders.laid,
    };
  }

  /** At rest, with a working disk, a run with nothing open and no end can only wait for room. */
  #watchParked(): void {
    if (this.owner === undefined || this.clock.elapsedMs <= this.#slowUntilMs) return;
    for (let parked = this.facts.newlyIdle(); parked > 0; parked -= 1)
      this.remark('park-for-limit');
  }

  #happened(kind: FaultKind): void {
    this.#faults.push({ kind, elapsedMs: this.clock.elapsedMs });
  }

  #strike(fault: Fault): void {
    switch (fault.kind) {
      case 'owner-crash':
        if (this.#owner !== undefined) this.#crash(fault.kind, fault.downMs);
        return;
      case 'crash-before-write':
      case 'crash-after-write':
        this.#downForMs = fault.downMs;
        this.#diskFaults.death = {
          when: fault.kind === 'crash-before-write' ? 'before' : 'after',
          writes: fault.writes,
        };
        return;
      case 'owner-restart':
        void this.#restart(fault.downMs).catch((error: unknown) => this.defect(error));
        return;
      case 'owner-overlap':
        this.#overlap(fault.forMs);
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

  #trouble(kind: FaultKind, forMs: number): void {
    this.#happened(kind);
    const fromMs = this.clock.elapsedMs;
    this.#troubles.push({ fromMs, toMs: fromMs + forMs });
    this.#slowUntilMs = Math.max(this.#slowUntilMs, fromMs + forMs);
  }

  #open(): void {
    // The sweep: nothing is taken up before everything of the earlier owners is gone.
    for (let earlier = 1; earlier <= this.#owners; earlier += 1) this.machine.reap(earlier);
    this.#owners += 1;
    const owner = new Owner(this.#owners, {
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
      witness: {
        kept: (asked, stored) => {
          this.#kept.push(...stored);
          if (asked.length !== stored.length)
            this.defect(
              new Error(`${asked.length} facts were asked to be kept, ${stored.length} were`),
            );
        },
        full: (isFirstFact) => this.remark(isFirstFact ? 'refuse-for-disk' : 'hold-for-disk'),
        died: (when) =>
          this.#crash(
            when === 'before' ? 'crash-before-write' : 'crash-after-write',
            this.#downForMs,
          ),
      },
      compared: this.#compared,
      log: (line) => this.#logs.push(line),
      onDefect: (error) => this.defect(error),
      onDifference: (what) => this.#differences.push(what),
    });
    this.#owner = owner;
    void this.#opened(owner).catch((error: unknown) => this.defect(error));
  }

  async #opened(owner: Owner): Promise<void> {
    await owner.open();
    if (!owner.life.alive) return; // it died in the very moment
    this.#troubles.push({ fromMs: this.#downSinceMs ?? 0, toMs: this.clock.elapsedMs });
    this.#downSinceMs = undefined;
  }

  /** Without a word: what it held in memory is gone. Its agents go on until the reaper, or the next owner, kills them. */
  #crash(kind: FaultKind, downMs: number): void {
    if (this.#owner === undefined) return;
    this.#happened(kind);
    const { life } = this.#owner;
    life.alive = false;
    this.clock.after(this.#reaperMs(), () => this.machine.reap(life.number));
    this.#goDown(downMs);
  }

  /** Mostly at once; sometimes it is starved, or was killed itself. */
  #reaperMs(): number {
    const draw = this.#luck();
    if (draw < 0.6) return drawInt(this.#luck, 0, 50);
    return draw < 0.8 ? drawInt(this.#luck, 50, 30_000) : NEVER_MS;
  }

  #overlap(forMs: number): void {
    const { owner } = this;
    if (owner?.isOpen !== true) return;
    this.#happened('owner-overlap');
    const { life } = owner;
    life.isSuperseded = true;
    this.#downSinceMs ??= this.clock.elapsedMs;
    this.clock.after(forMs, () => (life.alive = false));
    this.#open();
  }

  async #restart(downMs: number): Promise<void> {
    const { owner } = this;
    if (owner?.isOpen !== true) return;
    this.#happened('owner-restart');
    this.#downSinceMs ??= this.clock.elapsedMs;
    await owner.close();
    if (!owner.life.alive) return;
    if (this.#owner === owner) this.#goDown(downMs);
  }

  #goDown(downMs: number): void {
    this.#owner = undefined;
    this.#downSinceMs ??= this.clock.elapsedMs;
    this.clock.after(downMs, () => this.#open());
  }

  /** Nothing more strikes. People answer what is asked and end what would never end; then all must end. */
  async #comeToRest(): Promise<void> {
    this.#diskFaults.death = null;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await this.clock.lasts(ROUND_MS);
      if (this.owner === undefined) continue;
      const { going } = this.facts;
      if (going.length === 0 && this.machine.alive.length === 0) break;
      await this.#users.settle(going, round);
      if (round >= PEACE_ROUNDS) await this.#agentsPeople.letAllGo();
    }
    this.#stuck = this.facts.going;
    await this.#owner?.compare();
    const busy = this.owner?.engine?.busy();
    if (this.#stuck.length === 0 && busy !== undefined && busy.runs + busy.commands > 0)
      this.defect(new Error(`all has ended and the engine is busy: ${JSON.stringify(busy)}`));
    this.#over = true;
  }
}
