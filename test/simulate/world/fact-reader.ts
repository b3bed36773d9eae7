/** Reads facts from the disk as they appear, and knows the open commands of every run. */
import type { CommandBegun } from '../../../src/protocol/commands.ts';
import type { StoredEvent } from '../../../src/protocol/event.ts';
import { runOfStream } from '../../../src/protocol/streams.ts';
import { AGENT_PROGRAM } from '../../../src/protocol/agent-program-name.ts';
import type { MemoryDisk } from '../../../src/store/memory/memory-disk.ts';
import type { Fact, RunFact } from './record.ts';
import type { WorldClock } from './world-clock.ts';

type Run = {
  readonly facts: RunFact[];
  /** By key. */
  readonly open: Map<string, CommandBegun>;
  readonly isAgent: boolean;
  begun: number;
  ended: boolean;
};

export class FactReader {
  readonly #disk: MemoryDisk;
  readonly #clock: WorldClock;
  readonly #facts: Fact[] = [];
  readonly #runs = new Map<string, Run>();
  readonly #seenIdle = new Set<string>();

  constructor(disk: MemoryDisk, clock: WorldClock) {
    this.#disk = disk;
    this.#clock = clock;
  }

  /** Reads everything on the disk. New facts get the time of this reading. */
  all(): readonly Fact[] {
    for (const line of this.#disk.events.slice(this.#facts.length)) {
      const fact = { ...(JSON.parse(line) as StoredEvent), elapsedMs: this.#clock.elapsedMs };
      this.#facts.push(fact);
      this.#note(fact);
    }
    return this.#facts;
  }

  /** After a loss of power: facts that are not on the disk any more never existed. */
  forgetLost(): void {
    const saved = this.#facts.slice(0, this.#disk.events.length);
    if (saved.length === this.#facts.length) return;
    this.#facts.length = 0;
    this.#runs.clear();
    for (const fact of saved) {
      this.#facts.push(fact);
      this.#note(fact);
    }
  }

  /** Every run, oldest first. */
  get runs(): readonly string[] {
    return [...this.#runs.keys()];
  }

  /** The runs of long-lived agents, oldest first. */
  get agents(): readonly string[] {
    return this.runs.filter((run) => this.#runs.get(run)?.isAgent === true);
  }

  get going(): readonly string[] {
    return this.runs.filter((run) => this.#runs.get(run)?.ended === false);
  }

  openKeys(run: string): readonly string[] {
    return [...(this.#runs.get(run)?.open.keys() ?? [])];
  }

  /** Whether the run waits for a limit to end. */
  isCooling(run: string): boolean {
    const open = [...(this.#runs.get(run)?.open.values() ?? [])];
    return open.some(({ command, input }) => command === 'wait' && input.reason === 'cooldown');
  }

  /** The facts of one run's own stream, as far as they were read. */
  of(run: string): readonly RunFact[] {
    return this.#runs.get(run)?.facts ?? [];
  }

  /** The journal's record of a command that is open at this moment. */
  onRecord(
    run: string,
    key: string,
  ): { readonly limits: readonly string[]; readonly at: number } | undefined {
    this.all();
    const begun = this.of(run).findLast(
      (one) => one.type === 'command.begun' && one.payload.key === key,
    );
    if (begun?.type !== 'command.begun' || !this.openKeys(run).includes(key)) return undefined;
    return { limits: begun.payload.limits, at: begun.at };
  }

  /** How many runs are newly found with nothing open and no end. */
  newlyIdle(): number {
    const idle = this.going
      .filter((run) => this.#runs.get(run)?.open.size === 0)
      .filter((run) => this.#runs.get(run)?.isAgent !== true) // parked runs are allowed
      .map((run) => `${run} ${this.#runs.get(run)?.begun}`)
      .filter((place) => !this.#seenIdle.has(place));
    for (const place of idle) this.#seenIdle.add(place);
    return idle.length;
  }

  #note(fact: Fact): void {
    const id = runOfStream(fact.stream);
    if (id === undefined) return;
    const isAgent = fact.type === 'run.submitted' && fact.payload.program === AGENT_PROGRAM;
    const run: Run = this.#runs.get(id) ?? {
      facts: [],
      open: new Map(),
      isAgent,
      begun: 0,
      ended: false,
    };
    this.#runs.set(id, run);
    run.facts.push(fact as RunFact);
    if (fact.type === 'run.forked') {
      const { from, seq } = fact.payload;
      for (const [key, begun] of openAt(this.#facts, from, seq)) run.open.set(key, begun);
    } else if (fact.type === 'command.begun') {
      run.open.set(fact.payload.key, fact.payload);
      run.begun += 1;
    } else if (fact.type === 'command.ended') run.open.delete(fact.payload.key);
    else if (fact.type === 'run.ended') run.ended = true;
  }
}

/** The open commands of a run after its first `seq` facts. */
function openAt(
  facts: readonly Fact[],
  run: string,
  seq: number,
): ReadonlyMap<string, CommandBegun> {
  const open = new Map<string, CommandBegun>();
  for (const fact of facts) {
    if (fact.stream !== `run/${run}` || fact.seq > seq) continue;
    if (fact.type === 'run.forked')
      for (const [key, begun] of openAt(facts, fact.payload.from, fact.payload.seq))
        open.set(key, begun);
    else if (fact.type === 'command.begun') open.set(fact.payload.key, fact.payload);
    else if (fact.type === 'command.ended') open.delete(fact.payload.key);
  }
  return open;
}
