/**
 * The engine inside the owner's process. The journal is its only memory: opening it on a journal
 * resumes every run that has not ended, and records its open commands as interrupted.
 */
import type { Clock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import { Refusal, describeError } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { Random } from '../../base/random.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { RequestMark, Submission } from '../../protocol/run-submission.ts';
import type { Signal } from '../../protocol/signal.ts';
import { runStream } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal, RunFilter } from '../../store/journal.ts';
import { followEvents } from '../../store/follow.ts';
import type { Engine, ForkOptions, OnCreated } from '../engine.ts';
import type { Hold, Limit } from '../limits.ts';
import { LimitPool } from '../limits.ts';
import type { Performer } from '../performer.ts';
import type { Program } from '../program.ts';
import { SlotAdmission } from './slot-admission.ts';
import type { LoadedRun } from './load-run.ts';
import { ChildRuns } from './child-runs.ts';
import { forkedFact, readSubmission, submittedFact } from './first-fact.ts';
import { HaltedRuns } from './halted-runs.ts';
import { loadRun } from './load-run.ts';
import { BeginRuns } from './begin-runs.ts';
import { LivelockError } from './pace.ts';
import { runAlreadyEnded, engineClosed, runNotFound, runHalted } from './engine-refusals.ts';
import { restoreRateLimits } from './restore-rate-limits.ts';
import { RunDriver } from './run-driver.ts';
import { RunEnds } from './run-ends.ts';

export type EngineOptions = {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly programs: readonly Program<Json>[];
  readonly performers: readonly Performer[];
  readonly limits: readonly Limit[];
  /** A defect of Supervisor stopped a run. The owner process decides what happens then. */
  readonly onDefect: (run: RunId, error: unknown) => void;
  /** Called in place of `onDefect` for a run that was driven here. Its supervisor may resume it: see `driveAgain`. */
  readonly onBroken?: (run: RunId, error: unknown) => void;
  /** A run that was driven here has ended. */
  readonly onEnded?: (run: RunId) => void;
  /** A run is driven here from now on; see `driveAgain`. */
  readonly onDriven?: (run: RunId) => void;
  /** A run was started by another one. Called before anything of it is performed. */
  readonly onChild?: (child: RunId, parent: RunId) => void;
  readonly snapshotEvery?: number;
  /** Called with every snapshot of a run. `seq` is the number of its facts by now. */
  readonly onGrown?: (run: RunId, seq: number) => void;
};

/** One run for as long as it is driven here. */
export type DrivenRun = {
  /** Resolves when none of its commands is running any more: the run ended, was closed, or broke. */
  readonly over: Promise<{ readonly kind: 'over' } | { readonly kind: 'broken'; error: unknown }>;
  /** Stops deciding and cancels the running commands, without writing an end. */
  close(): Promise<void>;
};

const RUNS_MAX = 100_000;

export class EmbeddedEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #programs: ReadonlyMap<string, Program<Json>>;
  readonly #performers: ReadonlyMap<string, Performer>;
  readonly #limits: LimitPool;
  readonly #drivers = new Map<RunId, RunDriver>();
  readonly #driven = new Map<RunId, DrivenRun>();
  /** Runs that only another release can continue: a restart from the same facts ends in the same livelock. */
  readonly #livelocks = new Map<RunId, LivelockError>();
  readonly #closed = new AbortController();
  readonly #admission: SlotAdmission;
  readonly #children: ChildRuns;
  readonly #beginRuns: BeginRuns;
  readonly #ends: RunEnds;
  readonly #halted: HaltedRuns;

  private constructor(options: EngineOptions) {
    this.#options = options;
    this.#programs = new Map(options.programs.map((program) => [program.name, program]));
    this.#performers = new Map(
      options.performers.map((performer) => [performer.command, performer]),
    );
    this.#limits = new LimitPool(options.limits, () => this.#admission.queueChanged());
    this.#admission = new SlotAdmission(this.#limits, options.clock, this.#closed.signal, (run) =>
      this.#drivers.get(run)?.poke(),
    );
    const { journal, clock, onEnded, onDefect } = options;
    const signal = (run: RunId, one: Signal): Promise<void> => this.signal(run, one);
    this.#ends = new RunEnds(journal, (run) => onEnded?.(run));
    this.#halted = new HaltedRuns({ journal, clock, ends: this.#ends, signal, onDefect });
    this.#beginRuns = new BeginRuns({
      ...options,
      findProgram: (name) => this.#findProgram(name),
      closed: this.#closed.signal,
      drive: (run, program, folded) => this.#drive(run, program, folded),
    });
    this.#children = new ChildRuns({
      ...{ journal, clock, signal },
      create: (run, input, link) => this.#beginRuns.createChild(run, input, link),
      prepare: (run, input, link) => this.#beginRuns.prepareChild(run, input, link),
      ended: (run) => this.#ends.wait(run),
    });
  }

  static async open(options: EngineOptions): Promise<EmbeddedEngine> {
    const engine = new EmbeddedEngine(options);
    await restoreRateLimits(engine.#limits, options);
    const open = await options.journal.runs({ ended: false, limit: RUNS_MAX });
    const drivers: RunDriver[] = [];
    const unable: (readonly [run: RunId, error: unknown])[] = [];
    for (const view of open.toReversed()) {
      try {
        drivers.push(...(await engine.#resume(view)));
      } catch (error) {
        // A run that can't be resumed (its program is missing, for example) must not keep the others from continuing.
        unable.push([view.id as RunId, error]);
      }
    }
    // Only after each run has reclaimed its slots: a waiting run must not take the slot of an admitted one.
    for (const driver of drivers) resumeInBackground(driver);
    for (const [run, error] of unable) engine.#isBroken(run, error, options.onDefect);
    return engine;
  }

  async start(submission: Submission, onCreated?: OnCreated): Promise<RunId> {
    const program = this.#findProgram(submission.program);
    return this.#beginRuns.create(submittedFact(program, submission), onCreated);
  }

  async fork(run: RunId, seq: number, options: ForkOptions = {}): Promise<RunId> {
    const { request, onCreated, submission: changed, spentBy, alsoSpentBy } = options;
    const recorded = await readSubmission(this.#options.journal, run);
    const view = await this.get(run);
    if (recorded === undefined || view === undefined) throw runNotFound(run);
    const { parent: _, ...submission } = changed ?? recorded; // the fork of a child belongs to no other run
    const program = this.#findProgram(submission.program);
    const last = view.endedAt === null ? view.seq : view.seq - 1; // a fork can't continue from an end
    if (!Number.isInteger(seq) || seq < 1 || seq > last) {
      throw new Refusal({
        code: 'request.invalid',
        message: `Run ${run} can be forked at its facts 1 to ${last}, not at ${seq}.`,
      });
    }
    const before = changed === undefined ? undefined : recorded;
    const place = { run, seq, ...defined({ changed: before, spentBy, alsoSpentBy }) };
    const forked = await forkedFact(this.#options, program, place, submission, request);
    return this.#beginRuns.create(forked, onCreated);
  }

  async signal(run: RunId, signal: Signal, request?: RequestMark): Promise<void> {
    if (this.#closed.signal.aborted) throw engineClosed();
    await this.#beginRuns.created(run);
    const driver = this.#drivers.get(run);
    if (driver !== undefined && !driver.isBroken) {
      const sent = driver.signal(signal, request);
      if (signal.kind !== 'pause' && signal.kind !== 'unpause') return sent;
      const passedOn = sent.then(() => this.#pauseChildren(driver));
      if (driver.openChildren.length > 0) return passedOn;
      void passedOn.catch(() => undefined); // a child that begins at this moment gets it a little later
      return sent;
    }
    const view = await this.get(run);
    if (view === undefined) throw runNotFound(run);
    if (view.endedAt !== null) throw runAlreadyEnded(run);
    if (signal.kind !== 'stop' && signal.kind !== 'kill') throw runHalted(run);
    await this.#halted.stop(view, signal.kind, request);
  }

  async *follow(run: RunId, after: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const view = await this.get(run);
    if (view === undefined) throw runNotFound(run);
    if (view.endedAt !== null && after >= view.seq) return;
    const anyAbort = AbortSignal.any([signal, this.#closed.signal]);
    for await (const event of followEvents(
      this.#options.journal,
      { after, stream: runStream(run) },
      anyAbort,
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

  holdOf(run: RunId): Hold | undefined {
    return this.#limits.holdOf(run, this.#options.clock.now());
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
    await Promise.all([...this.#driven.values()].map((driven) => driven.close()));
  }

  /**
   * Returns the driven run, or drives it again after a defect. Undefined: the run has ended. Rejects with
   * the error that keeps the run from continuing.
   */
  async driveAgain(run: RunId): Promise<DrivenRun | undefined> {
    const driven = this.#driven.get(run);
    if (driven !== undefined) return driven;
    if (this.#closed.signal.aborted) throw engineClosed();
    const livelock = this.#livelocks.get(run);
    if (livelock !== undefined) throw livelock;
    const view = await this.get(run);
    if (view === undefined) throw runNotFound(run);
    // Another run may have its slot by now, so it does not reclaim: it asks for a slot like any other run.
    if (view.endedAt === null) (await this.#load(view)).forEach(resumeInBackground);
    return this.#driven.get(run);
  }

  /** Ends a child that can't continue, so that its parent gets a result. A run without a parent waits for a person. */
  giveUp(run: RunId, why: string): Promise<void> {
    return this.#halted.giveUp(run, why);
  }

  async #pauseChildren(driver: RunDriver): Promise<void> {
    const isPaused = (): boolean => driver.isPaused;
    await Promise.all(
      driver.openChildren.map((child) =>
        this.#children.alignPause(child, isPaused, this.#closed.signal),
      ),
    );
  }

  async #resume(view: RunView): Promise<readonly RunDriver[]> {
    const drivers = await this.#load(view);
    for (const driver of drivers) driver.reclaim();
    return drivers;
  }

  async #load({ id, program: name }: RunView): Promise<readonly RunDriver[]> {
    const run = id as RunId;
    const program = this.#findProgram(name);
    const folded = await loadRun(this.#options.journal, program, run);
    if (folded === undefined) throw runNotFound(run);
    return this.#drive(run, program, folded);
  }

  #isBroken(run: RunId, error: unknown, report: EngineOptions['onDefect']): void {
    report(run, error);
    // Without a supervisor, no other component tries to continue it.
    if (report !== this.#options.onBroken)
      void this.giveUp(run, describeError(error)).catch(() => undefined);
  }

  /** Drives a recorded run, unless the engine is closed: then the next owner resumes it. */
  #drive(run: RunId, program: Program<Json>, folded: LoadedRun): readonly RunDriver[] {
    if (this.#closed.signal.aborted) return [];
    const { journal, clock, random, onDefect, onBroken = onDefect } = this.#options;
    const { snapshotEvery = 2000, onGrown } = this.#options;
    const over = Promise.withResolvers<Awaited<DrivenRun['over']>>();
    let end: Awaited<DrivenRun['over']> = { kind: 'over' };
    const removeDriver = (): void => {
      over.resolve(end);
      if (driver.hasEnded) this.#ends.hasEnded(run);
      if (this.#drivers.get(run) !== driver) return; // the run has another driver already
      this.#drivers.delete(run);
      this.#driven.delete(run);
    };
    const driver = new RunDriver(run, program, folded, {
      journal,
      clock,
      random,
      performers: this.#performers,
      limits: this.#limits,
      children: this.#children,
      snapshotEvery,
      ...(onGrown === undefined ? {} : { onGrown }),
      onGone: removeDriver,
      onDefect: (_, error) => {
        end = { kind: 'broken', error };
        if (error instanceof Error && error.cause instanceof LivelockError)
          this.#livelocks.set(run, error.cause);
        this.#isBroken(run, error, onBroken);
      },
    });
    this.#drivers.set(run, driver);
    this.#driven.set(run, { over: over.promise, close: () => driver.close().then(removeDriver) });
    this.#options.onDriven?.(run);
    return [driver];
  }

  #findProgram(name: string): Program<Json> {
    const program = this.#programs.get(name);
    if (program !== undefined) return program;
    throw new Refusal({
      code: 'request.invalid',
      message: `The program ${JSON.stringify(name)} does not exist.`,
    });
  }
}

/** A defect is reported to onDefect, and all other progress is in the run's stream, so the rejection is dropped. */
function resumeInBackground(driver: RunDriver): void {
  void driver.resume().catch(() => undefined);
}
