/**
 * The owner of the state: the one process that holds the lock, writes the journal and performs.
 * It puts the rooms together; every face reaches it through the server, in process or by socket.
 */
import { adapterFor } from '../agents/adapters.ts';
import { attemptsProgram } from '../attempts/attempts-program.ts';
import { CooldownBook } from '../attempts/cooldown-book.ts';
import type { Clock } from '../base/clock.ts';
import { Refusal, describeError } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { Luck } from '../base/luck.ts';
import type { Loaded } from '../config/load.ts';
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts';
import type { Engine } from '../engine/engine.ts';
import { PROTOCOL_VERSION } from '../protocol/api.ts';
import type { OutputChunk, OutputWish, OwnerView, RunRequest } from '../protocol/api.ts';
import { OWNER_STREAM, runStream } from '../protocol/event.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { RunView } from '../protocol/run-view.ts';
import type { Journal } from '../store/journal.ts';
import { followEvents } from '../store/reader.ts';
import type { Home } from '../host/home.ts';
import { Artifacts } from './artifacts.ts';
import { BriefDesk } from './brief-desk.ts';
import { CooldownDesk } from './cooldown-desk.ts';
import { Defects } from './defects.ts';
import { Idle } from './idle.ts';
import type { Notices } from './notices.ts';
import { openNotices } from './open-notices.ts';
import { runOutput } from './output.ts';
import type { OutputSource } from './output.ts';
import { Prune } from './prune.ts';
import { resumePoint } from './resume-point.ts';
import { settingsFor } from './owner-settings.ts';
import { performersOf } from './performers.ts';
import { gitOf } from './places.ts';
import { StateHold, tagOfHome } from './state-hold.ts';
import { Stories } from './stories.ts';
import { limitsOf } from './submission.ts';
import { sweepPlaces } from './sweep-places.ts';
import { inWords } from './words.ts';
import { Work } from './work.ts';

export type OwnerOptions = {
  readonly home: Home;
  readonly version: string;
  readonly pid: number;
  readonly clock: Clock;
  readonly luck: Luck;
  /** The Node that runs us, for agents that are programs of ours. */
  readonly node: string;
  /** What agents see of our environment. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /** All of it. The keys in it are for the gateways of agents, and for nobody else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
};

const HISTORY_PAGE = 1000;

type Parts = {
  readonly hold: StateHold;
  readonly engine: Engine;
  readonly defects: Defects;
  readonly cooldowns: CooldownBook;
};

export class Owner {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly work: Work;
  readonly stories: Stories;
  readonly prune: Prune;
  readonly artifacts: Artifacts;
  readonly cooldowns: CooldownDesk;
  readonly idle: Idle;
  /** Resolves with the reason once it should close: idle, asked, or a defect that it can't mend. */
  readonly done: Promise<string>;
  readonly #options: OwnerOptions;
  readonly #hold: StateHold;
  readonly #startedAt: number;
  readonly #defects: Defects;
  readonly #closing = new AbortController();
  #notices: Notices | undefined;
  #closed: Promise<void> | undefined;
  readonly askToClose: (reason: string) => void;

  private constructor(options: OwnerOptions, parts: Parts, idleMs: number) {
    const { hold, engine, defects, cooldowns } = parts;
    this.#options = options;
    this.cooldowns = new CooldownDesk(cooldowns);
    this.#hold = hold;
    this.#defects = defects;
    this.#startedAt = options.clock.now();
    this.engine = engine;
    this.journal = hold.journal;
    const { home, clock } = options;
    this.work = new Work({
      home: home.dir,
      git: { git: gitOf(options), clock, tag: tagOfHome(home) },
      view: (id) => this.run(id),
      history: (id) => this.#history(id),
      say: (event) => hold.say(event),
    });
    const view = (id: RunId): Promise<RunView> => this.run(id);
    const artifacts = new Artifacts(home.dir, view);
    this.artifacts = artifacts;
    this.stories = new Stories({ journal: hold.journal, clock, view, artifacts });
    this.prune = new Prune({
      home: home.dir,
      git: { git: gitOf(options), clock, tag: tagOfHome(home) },
      view: (id) => engine.get(id),
      say: (event) => hold.say(event),
      signal: this.#closing.signal,
    });
    this.idle = new Idle(options.clock, () => engine.busy().runs > 0);
    const asked = Promise.withResolvers<string>();
    this.askToClose = asked.resolve;
    this.done = Promise.race([asked.promise, this.#idleFor(idleMs)]);
  }

  /** Refuses with `owner.already-running` when another process owns this home. */
  static async open(options: OwnerOptions): Promise<Owner> {
    const { clock, luck, log } = options;
    const hold = await StateHold.take(options);
    try {
      const { settings } = await settingsFor(options, undefined, []);
      // What is left over is in nobody's way: that it can't be cleared away is no reason not to start.
      await sweepPlaces(options, settings.sandbox).catch((error: unknown) =>
        log(`something of an earlier owner is left: ${describeError(error)}`),
      );
      const defects = new Defects();
      const cooldowns = await CooldownBook.open({ journal: hold.journal, clock });
      const engine = await EmbeddedEngine.open({
        journal: hold.journal,
        clock,
        luck,
        programs: [attemptsProgram],
        performers: performersOf(options, hold, cooldowns),
        limits: limitsOf(settings),
        onDefect: (run, error) => {
          defects.add(run, describeError(error));
          log(`run ${run} can't go on: ${describeError(error)}`);
        },
      });
      const parts = { hold, engine, defects, cooldowns };
      const owner = new Owner(options, parts, settings.owner.idleExitMs);
      const last = await hold.journal.lastSeq(OWNER_STREAM);
      const page = { after: Math.max(0, last - HISTORY_PAGE), limit: HISTORY_PAGE };
      await owner.work
        .takeUp(await hold.journal.readStream(OWNER_STREAM, page))
        // The user says apply again and hears why; the runs must not wait for that.
        .catch((error: unknown) => log(`an apply can't go on: ${describeError(error)}`));
      owner.#notices = await openNotices(options, hold.journal, owner.stories);
      return owner;
    } catch (error) {
      await hold.release('could not start');
      throw error;
    }
  }

  view(): OwnerView {
    const { home, version, pid } = this.#options;
    return {
      product: 'supervisor',
      protocol: PROTOCOL_VERSION,
      version,
      pid,
      startedAt: this.#startedAt,
      home: home.dir,
      ...this.engine.busy(),
      defects: this.#defects.list(),
    };
  }

  /** Loads the project's settings as they are now and pins them into the run. */
  async submit(request: RunRequest): Promise<RunView> {
    const { settings } = await settingsFor(this.#options, request.project, request.set ?? []);
    const desk = new BriefDesk(this.#options);
    return this.run(await this.engine.start(await desk.submission(request, settings)));
  }

  async run(id: RunId): Promise<RunView> {
    const view = await this.engine.get(id);
    if (view !== undefined) return view;
    throw new Refusal({
      code: 'run.not-found',
      message: `There is no run ${id}.`,
      hint: 'List the runs with: supervisor status --all',
    });
  }

  /** A run that is going on is simply that; one that ended badly goes on as a new run from before its end. */
  async resume(id: RunId): Promise<RunView> {
    const view = await this.run(id);
    if (view.outcome === null) return view;
    const done = view.outcome.kind === 'succeeded' || view.outcome.kind === 'unverified';
    const point = done ? undefined : await resumePoint(this.#history(id));
    if (point !== undefined) return this.run(await this.engine.fork(id, point));
    throw new Refusal({
      code: 'run.already-ended',
      message: `Run ${id} has ended (${view.outcome.kind}); there is nothing to take up.`,
      hint: 'Submit the task again with: supervisor run "…"',
    });
  }

  /** Aborts when it begins to close: whoever follows something should be told, and leave. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  follow(after: number, signal: AbortSignal): AsyncIterable<StoredEvent> {
    return followEvents(this.journal, { after }, signal);
  }

  /** Until the run ends. One that can't go on because of a fault of ours throws that, since it has no end. */
  async *followRun(
    id: RunId,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<StoredEvent, void> {
    await this.run(id);
    const { stuck, forget } = this.#defects.watch(id);
    let seen = after;
    try {
      for await (const event of this.engine.follow(id, after, AbortSignal.any([signal, stuck]))) {
        yield event;
        seen = event.seq;
      }
      if (stuck.aborted) throw stuck.reason;
    } finally {
      forget();
    }
    // Whoever closes the owner may do so because this run has ended, which should still be heard.
    const page = { after: seen, limit: HISTORY_PAGE };
    if (this.closing.aborted) yield* await this.journal.readStream(runStream(id), page);
  }

  async *output(
    id: RunId,
    { follow, after, words }: OutputWish,
    signal: AbortSignal,
  ): AsyncGenerator<OutputChunk, void> {
    await this.run(id);
    const { clock } = this.#options;
    const dir = await this.#hold.outputDir(id);
    const pass: OutputSource['pass'] = (chunks, agent) =>
      words ? inWords(chunks, adapterFor(agent)) : chunks;
    const { engine } = this;
    const source = { dir, clock, engine, run: id, follow, after, pass, withLog: !words };
    yield* runOutput(source, signal);
  }

  /** What the project's settings are now, and where each of them comes from. */
  settings(project: string | undefined, set: readonly string[]): Promise<Loaded> {
    return settingsFor(this.#options, project, set);
  }

  log(line: string): void {
    this.#options.log(line);
  }

  /** No more of it is told to those who follow; what else is asked is still answered. */
  beginToClose(reason: string): void {
    this.#closing.abort();
    this.askToClose(reason);
  }

  /** Ends in good order. Runs that are going on are taken up by the next owner. A second call joins the first. */
  close(reason: string): Promise<void> {
    this.#closed ??= this.#close(reason);
    return this.#closed;
  }

  async #close(reason: string): Promise<void> {
    this.beginToClose(reason);
    await this.engine.close();
    await this.#notices?.close();
    await this.#hold.release(reason);
  }

  async *#history(id: RunId): AsyncGenerator<StoredEvent, void> {
    for (let after = 0; ;) {
      const page = { after, limit: HISTORY_PAGE };
      const events = await this.journal.readStream(runStream(id), page);
      yield* events;
      if (events.length < HISTORY_PAGE) return;
      after += events.length;
    }
  }

  async #idleFor(idleMs: number): Promise<string> {
    const idle = await this.idle.waitForIdle(idleMs, this.#closing.signal);
    return idle ? 'idle' : 'closed';
  }
}
