/** Long-lived agents under their real supervisors, on the manual clock: only what a turn does is the test's. */
import assert from 'node:assert/strict';
import type { RunId } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import { seededLuck } from '../base/luck.ts';
import type { AgentRecord } from '../daemon/agents-book.ts';
import { AgentsBook } from '../daemon/agents-book.ts';
import { AgentsBranch } from '../daemon/agents-branch.ts';
import { KeptTree } from '../daemon/kept-tree.ts';
import { TreeBook } from '../daemon/tree-book.ts';
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts';
import type { Errand, Order, Performer } from '../engine/performer.ts';
import { KIND_RULES } from '../lifecycle/kinds.ts';
import { lifeProgram } from '../lifecycle/life-program.ts';
import type { LifeSettings } from '../protocol/life.ts';
import { LIFE_PROGRAM } from '../protocol/life.ts';
import type { TreePlace } from '../protocol/tree-settings.ts';
import { MemoryDisk, MemoryJournal } from '../store/memory/memory-journal.ts';
import type { SupervisorEnd } from '../supervision/index.ts';
import { ManualClock } from './manual-clock.ts';
import { LIFE } from './play-life.ts';

type Result = Record<string, Json>;

/** The turns that are going on, by the run of their agent. */
class Turns implements Performer {
  readonly command = 'attempt';
  readonly going = new Map<string, (result: Result) => void>();
  /** Runs whose turns end when the test says so, whoever else wants it. */
  readonly deaf = new Set<string>();

  perform({ run }: Order, { asked, killed }: Errand): Promise<Result> {
    return new Promise((resolve) => {
      const end = (result: Result): void => {
        this.going.delete(run);
        resolve(result);
      };
      this.going.set(run, end);
      const stop = (): void => (this.deaf.has(run) ? undefined : end({ kind: 'stopped' }));
      asked.addEventListener('abort', stop);
      killed.addEventListener('abort', stop);
    });
  }
}

type Up = {
  readonly engine: EmbeddedEngine;
  readonly book: AgentsBook;
  readonly kept: KeptTree;
  readonly branch: AgentsBranch;
  readonly tree: TreeBook;
  readonly turns: Turns;
};

export class AgentStage {
  static readonly project = '/projects/shop';
  readonly clock: ManualClock;
  readonly disk = new MemoryDisk();
  readonly journal = new MemoryJournal(this.disk);
  readonly log: string[] = [];
  #up: Up | undefined;
  #read = 0;

  constructor(startMs = 1_000_000_000_000) {
    this.clock = new ManualClock(startMs);
  }

  /** An owner comes up. */
  async open(): Promise<void> {
    const { clock, journal } = this;
    const luck = seededLuck(1);
    const tree = new TreeBook(clock);
    const log = (line: string): void => void this.log.push(line);
    const book = await AgentsBook.open(journal, log);
    const kept = await KeptTree.open(journal, clock);
    const turns = new Turns();
    const others = ['setup', 'survey', 'finalize', 'cool', 'tell', 'take', 'put', 'spread'].map(
      (command): Performer => ({ command, perform: async () => ({ kind: 'done' }) }),
    );
    const engine = await EmbeddedEngine.open({
      journal,
      clock,
      luck,
      programs: [lifeProgram],
      performers: [turns, ...others],
      limits: [],
      onDefect: (run, error) => this.log.push(`defect ${run} ${String(error)}`),
    });
    const branch = await AgentsBranch.start(
      {
        clock,
        luck,
        book,
        kept,
        log,
        signal: (run, signal) => engine.signal(run, signal),
        observe: (place, strategy) =>
          tree.supervisor(place === '' ? 'agents' : `agents/${place}`, strategy),
      },
      new AbortController().signal,
    );
    this.#up = { engine, book, kept, branch, tree, turns };
    await this.settle();
  }

  get up(): Up {
    return this.#up ?? assert.fail('no owner is up');
  }

  /** The owner ends in good order. */
  async close(): Promise<SupervisorEnd> {
    const end = await this.up.branch.stop();
    await this.die();
    return end;
  }

  /** The owner dies: nothing more is written. */
  async die(): Promise<void> {
    const { branch, engine, book } = this.up;
    this.#up = undefined;
    const killed = branch.kill();
    await this.clock.advance(0);
    await killed;
    await engine.close();
    await book.close();
  }

  async declare(places: readonly TreePlace[]): Promise<void> {
    await this.up.kept.declare(AgentStage.project, places);
    await this.up.branch.declare(AgentStage.project);
  }

  async spawn(name: string, more: Partial<LifeSettings> = {}): Promise<RunId> {
    const kind = more.kind ?? 'mortal';
    const rules = KIND_RULES[kind];
    const life: LifeSettings = {
      ...LIFE,
      name,
      kind,
      declared: more.supervisor !== undefined,
      restart: {
        type: rules.restart,
        restartsMax: rules.intensity.restartsMax,
        withinMs: rules.intensity.withinMs,
        backoff:
          rules.backoff === null
            ? null
            : { baseMs: rules.backoff.baseMs, maxMs: rules.backoff.maxMs },
      },
      ...more,
    };
    const run = await this.up.engine.start({
      program: LIFE_PROGRAM,
      task: `be ${name}`,
      project: AgentStage.project,
      settings: {
        agent: { id: 'scripted', cli: 'scripted', args: [], model: null, configDir: null, env: {} },
        graceMs: 1000,
        deadlineMs: null,
        lostMax: 3,
        outputBytesMax: 100_000,
        life,
      },
    });
    await this.settle();
    return run;
  }

  agent(name: string): AgentRecord {
    const named = this.up.book.all().filter(({ settings }) => settings.name === name);
    return named.at(-1) ?? assert.fail(`no ${name}`);
  }

  isAtWork(name: string): boolean {
    return this.up.turns.going.has(this.agent(name).run);
  }

  /** The turn that it is at can't be ended by anybody but the test. */
  goesDeaf(name: string): void {
    this.up.turns.deaf.add(this.agent(name).run);
  }

  /** Its turn ends with this. */
  async ends(name: string, result: Result): Promise<void> {
    const { run } = this.agent(name);
    this.up.turns.deaf.delete(run);
    const end = this.up.turns.going.get(run) ?? assert.fail(`${name} has no turn`);
    end(result);
    await this.settle();
  }

  crash(name: string, message = 'boom'): Promise<void> {
    return this.ends(name, { kind: 'failed', reason: 'crashed', message });
  }

  /** Lets everything that is ready happen. */
  async settle(): Promise<void> {
    for (let round = 0; round < 6; round += 1) await this.clock.advance(0);
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.settle();
  }

  /** What was said to agents since this was last asked, in order: `live 1 a`, `halt b`. */
  async said(): Promise<readonly string[]> {
    const facts = await this.journal.readAll({ after: this.#read, limit: 100_000 });
    this.#read = facts.at(-1)?.id ?? this.#read;
    return facts.flatMap((fact) => {
      if (fact.type !== 'signal.received') return [];
      const { signal } = fact.payload;
      const name = this.up.book.get(fact.stream.slice(4) as RunId)?.settings.name ?? '?';
      return [signal.kind === 'live' ? `live ${signal.life} ${name}` : `${signal.kind} ${name}`];
    });
  }

  /** `pool/a running`, as its supervisor has it. */
  states(): readonly string[] {
    return this.up.tree
      .view()
      .nodes.filter(({ type }) => type === 'worker')
      .map(({ id, state }) => {
        const run = id.slice(id.lastIndexOf('/') + 1) as RunId;
        return `${this.up.book.get(run)?.settings.name ?? run} ${state}`;
      });
  }
}
