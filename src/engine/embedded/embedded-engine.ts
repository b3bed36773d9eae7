/**
 * The engine inside the owner's process. The journal is its only memory: opening it on a journal
 * takes up every run that has not ended, and what was being performed then is lost.
 */
import type { Clock, Instant } from '../../base/clock.ts';
import { at } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { newRunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { Luck } from '../../base/luck.ts';
import type { NewEvent, Signal, StoredEvent, Submission } from '../../protocol/event.ts';
import { runStream } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/run-view.ts';
import type { Journal, RunFilter } from '../../store/journal.ts';
import { followEvents } from '../../store/reader.ts';
import type { Engine } from '../engine.ts';
import type { Limit } from '../limits.ts';
import { LimitBook } from '../limits.ts';
import type { Performer } from '../performer.ts';
import type { Program } from '../program.ts';
import { loadRun } from './load-run.ts';
import { RunDriver, alreadyEnded } from './run-driver.ts';

export type EngineOptions = {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly luck: Luck;
  readonly programs: readonly Program<Json>[];
  readonly performers: readonly Performer[];
  readonly limits: readonly Limit[];
  /** A run stopped moving through a defect of ours. Whoever owns the process decides what then. */
  readonly onDefect: (run: RunId, error: unknown) => void;
  readonly snapshotEvery?: number;
};

const RUNS_MAX = 100_000;
const READ_BACK = 1000;

export class EmbeddedEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #programs: ReadonlyMap<string, Program<Json>>;
  readonly #performers: ReadonlyMap<string, Performer>;
  readonly #limits: LimitBook;
  readonly #drivers = new Map<RunId, RunDriver>();
  readonly #closed = new AbortController();
  #rateTimer: AbortController | undefined;

  private constructor(options: EngineOptions) {
    this.#options = options;
    this.#programs = new Map(options.programs.map((program) => [program.name, program]));
    this.#performers = new Map(
      options.performers.map((performer) => [performer.command, performer]),
    );
    this.#limits = new LimitBook(options.limits);
  }

  static async open(options: EngineOptions): Promise<EmbeddedEngine> {
    const engine = new EmbeddedEngine(options);
    await engine.#recallStarts();
    const open = await options.journal.runs({ ended: false, limit: RUNS_MAX });
    for (const view of open.toReversed()) await engine.#takeUp(view);
    return engine;
  }

  async start(submission: Submission): Promise<RunId> {
    this.#programOf(submission.program);
    return this.#create({ type: 'run.submitted', payload: submission }, submission.program);
  }

  async fork(run: RunId, seq: number): Promise<RunId> {
    const [first] = await this.#options.journal.readStream(runStream(run), { after: 0, limit: 1 });
    const view = await this.get(run);
    if (first === undefined || view === undefined) throw notFound(run);
    // A history that holds the end has nothing to go on with.
    const last = view.outcome === null ? view.seq : view.seq - 1;
    if (!Number.isInteger(seq) || seq < 1 || seq > last) {
      throw new Refusal({
        code: 'request.invalid',
        message: `Run ${run} can be forked at its facts 1 to ${last}, not at ${seq}.`,
      });
    }
    const submission = first.type === 'run.forked' ? first.payload.submission : first.payload;
    const origin = { from: run, seq, submission: submission as Submission };
    return this.#create({ type: 'run.forked', payload: origin }, origin.submission.program);
  }

  async signal(run: RunId, signal: Signal): Promise<void> {
    const driver = this.#drivers.get(run);
    if (driver !== undefined) return driver.signal(signal);
    throw (await this.get(run)) === undefined ? notFound(run) : alreadyEnded(run);
  }

  async *follow(run: RunId, after: number, signal: AbortSignal): AsyncGenerator<StoredEvent> {
    if ((await this.get(run)) === undefined) throw notFound(run);
    const either = AbortSignal.any([signal, this.#closed.signal]);
    for await (const event of followEvents(
      this.#options.journal,
      { after, stream: runStream(run) },
      either,
    )) {
      yield event;
      if (event.type === 'run.ended') return;
    }
  }

  list(filter: RunFilter): Promise<readonly RunView[]> {
    return this.#options.journal.runs(filter);
  }

  get(run: RunId): Promise<RunView | undefined> {
    return this.#options.journal.run(run);
  }

  busy(): { readonly runs: number; readonly commands: number } {
    const commands = [...this.#drivers.values()].reduce(
      (sum, { performing }) => sum + performing,
      0,
    );
    return { runs: this.#drivers.size, commands };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#rateTimer?.abort();
    await Promise.all([...this.#drivers.values()].map((driver) => driver.close()));
    this.#drivers.clear();
  }

  /** One run that can't be taken up (its program is not here, say) must not keep the others from going on. */
  async #takeUp(view: RunView): Promise<void> {
    const run = view.id as RunId;
    try {
      const driver = await this.#drive(run, view.program);
      await driver.resume();
    } catch (error) {
      if (!this.#drivers.has(run)) this.#options.onDefect(run, error);
    }
  }

  async #create(first: NewEvent, program: string): Promise<RunId> {
    const { journal, clock, luck } = this.#options;
    let run = newRunId(luck);
    while ((await journal.lastSeq(runStream(run))) > 0) run = newRunId(luck);
    await journal.append(runStream(run), 0, [first], clock.now());
    const driver = await this.#drive(run, program);
    // The submission is durable; how the run gets on from here is told by its stream.
    void driver.resume().catch(() => undefined);
    return run;
  }

  async #drive(run: RunId, programName: string): Promise<RunDriver> {
    const { journal, clock, luck, onDefect, snapshotEvery = 2000 } = this.#options;
    const program = this.#programOf(programName);
    const folded = await loadRun(journal, program, run);
    if (folded === undefined) throw notFound(run);
    const driver = new RunDriver(run, program, folded, {
      journal,
      clock,
      luck,
      performers: this.#performers,
      limits: this.#limits,
      snapshotEvery,
      onLineMoved: () => this.#letIn(),
      onEnded: (ended) => this.#drivers.delete(ended),
      onDefect,
    });
    this.#drivers.set(run, driver);
    if (this.#closed.signal.aborted) void driver.close(); // it came while we closed; a resume takes it up
    return driver;
  }

  /** Offers room to those who wait for it, in their order. */
  #letIn(): void {
    const ready = this.#limits.ready(this.#options.clock.now());
    const runs = new Set(ready.map((token) => token.split('/')[0] as RunId));
    for (const run of runs)
      void this.#drivers
        .get(run)
        ?.poke()
        .catch(() => undefined);
    this.#awaitRate();
  }

  /** Wakes the line when a rate next has room; a concurrency limit wakes it by itself. */
  #awaitRate(): void {
    const { clock } = this.#options;
    const chance = this.#limits.nextChance(clock.now());
    this.#rateTimer?.abort();
    if (chance === undefined || this.#closed.signal.aborted) return;
    const timer = new AbortController();
    this.#rateTimer = timer;
    void this.#letInAt(chance, timer.signal);
  }

  async #letInAt(chance: Instant, signal: AbortSignal): Promise<void> {
    if (await this.#options.clock.sleepUntil(chance, signal)) this.#letIn();
  }

  /** Rates hold across a restart: the starts of the last window stand in the journal. */
  async #recallStarts(): Promise<void> {
    const { journal, clock } = this.#options;
    const now = clock.now();
    const since = at(now - this.#limits.windowMs);
    let before = Number.MAX_SAFE_INTEGER;
    while (this.#limits.windowMs > 0) {
      const page = await journal.readBack(before, READ_BACK);
      for (const event of page) {
        if (event.type === 'command.begun')
          this.#limits.remember(event.payload.limits, at(event.at), now);
      }
      const oldest = page.at(-1);
      if (oldest === undefined || page.length < READ_BACK || oldest.at < since) return;
      before = oldest.id;
    }
  }

  #programOf(name: string): Program<Json> {
    const program = this.#programs.get(name);
    if (program !== undefined) return program;
    throw new Refusal({
      code: 'request.invalid',
      message: `There is no program ${JSON.stringify(name)} here.`,
    });
  }
}

function notFound(run: RunId): Refusal {
  return new Refusal({
    code: 'run.not-found',
    message: `There is no run ${run}.`,
    hint: 'List the runs with: supervisor status --all',
  });
}
