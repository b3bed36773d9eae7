/**
 * The owner of the state: the one process that holds the lock, writes the journal and performs.
 * It puts the rooms together as a tree of parts, each of which may die and come back; every face
 * reaches it through the server, in process or by socket.
 */
import { Refusal, describeError } from '../base/errors.ts';
import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import type { RunId } from '../base/ids.ts';
import type { Engine } from '../engine/engine.ts';
import { PROTOCOL_VERSION } from '../protocol/api.ts';
import type { OutputChunk, OutputRequest, OwnerView, RunRequest } from '../protocol/api.ts';
import { OWNER_STREAM, runStream } from '../protocol/event.ts';
import type { RequestMark, StoredEvent } from '../protocol/event.ts';
import type { Preflight } from '../protocol/views/preflight-view.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import type { TreeView } from '../protocol/views/tree-view.ts';
import type { Journal } from '../store/journal.ts';
import { followEvents } from '../store/follow.ts';
import type { Supervisor } from '../supervision/index.ts';
import type { AgentsApi } from './agents/agents-api.ts';
import { RunArtifactsApi } from './runs/run-artifacts.ts';
import { Submissions } from './runs/submissions.ts';
import { CooldownsApi } from './runs/cooldowns-api.ts';
import { readBackwards, readStream } from './run-reader.ts';
import { Idle } from './idle.ts';
import { RunQuestions } from './runs/run-questions.ts';
import { preflight } from './preflight/run-preflight.ts';
import { Prune } from './runs/prune.ts';
import { realLeftovers } from './runs/prune-leftovers.ts';
import { requireRunnable } from './runs/require-runnable.ts';
import { requireDiskHeadroom } from './disk-headroom.ts';
import type { OwnerOptions } from './owner-options.ts';
import { OwnerComponents } from './owner-components.ts';
import type { OwnerBranch } from './owner-tree.ts';
import type { ExecutionHost } from './execution-host.ts';
import { executionHost, workspacePorts } from './execution-host.ts';
import { IdempotentRequests } from './idempotent-requests.ts';
import { settingsFor, projectSettings } from './project-settings.ts';
import { RunReports } from './runs/run-reports.ts';
import { resumePointOf, refuseAgent } from './runs/resume-run.ts';
import { followFacts, followOutputOf } from './runs/follow-run.ts';
import { RunChanges } from './runs/run-changes.ts';
import { realRunTrees } from './runs/run-trees.ts';

/** How often it looks whether its home is still its own. */
const HOME_LOOK_MS = 1000;
/** Submissions that come together are looked at few at a time, so that the loop gets its turns in between. */
const SUBMITTING_MAX = 8;

export class Owner {
  readonly work: RunChanges;
  readonly prune: Prune;
  /** Sees to it that a command with a key is carried out once. */
  readonly requests: IdempotentRequests;
  readonly artifacts: RunArtifactsApi;
  readonly stories: RunReports;
  readonly idle: Idle;
  /** Where it answers besides its socket. */
  api: string | null = null;
  /** Resolves with the reason once it should close: idle, asked, or faults that it can't mend. */
  readonly done: Promise<string>;
  readonly #options: OwnerOptions;
  readonly #ground: ExecutionHost;
  readonly #startedAt: number;
  readonly #parts: OwnerComponents;
  readonly #closing = new AbortController();
  readonly #submitting = new ConcurrencyLimit(SUBMITTING_MAX);
  #tree: Supervisor | undefined;
  #reason = 'could not start';
  #closed: Promise<void> | undefined;
  #gaveUp = false;
  #stays: (() => void) | undefined;
  readonly askToClose: (reason: string) => void;

  private constructor(options: OwnerOptions) {
    this.#options = options;
    this.#ground = executionHost(options);
    const { home, clock } = options;
    this.#startedAt = clock.now();
    this.work = new RunChanges({
      home: home.dir,
      clock,
      trees: realRunTrees(home.dir, workspacePorts(options)),
      view: (id) => this.run(id),
      historyBack: (id) => readBackwards(this.journal, runStream(id)),
      facts: (after) => readStream(this.journal, OWNER_STREAM, after),
      say: (event) => this.#parts.hold.say(event),
    });
    const view = (id: RunId): Promise<RunView> => this.run(id);
    this.artifacts = new RunArtifactsApi(home.dir, view);
    const journal = (): Journal => this.journal;
    this.requests = new IdempotentRequests(journal);
    this.stories = new RunReports({ journal, clock, view, artifacts: this.artifacts });
    this.#parts = new OwnerComponents(options, {
      ground: this.#ground,
      work: this.work,
      stories: this.stories,
      settings: () => settingsFor(options, undefined, []),
      reason: () => this.#reason,
    });
    const { signal } = this.#closing;
    this.prune = new Prune({
      leftovers: realLeftovers({
        home: home.dir,
        git: workspacePorts(options),
        journal,
        signal,
      }),
      journal,
      say: (event) => this.#parts.hold.say(event),
      signal,
    });
    this.idle = new Idle(clock, () => this.#parts.busy().runs > 0);
    const asked = Promise.withResolvers<string>();
    this.askToClose = asked.resolve;
    this.done = asked.promise;
  }

  /**
   * `branches` are what else is to live with it: the server, say. Refuses with
   * `owner.already-running` when another process owns this home.
   */
  static async open(
    options: OwnerOptions,
    branches: (owner: Owner) => readonly OwnerBranch[] = () => [],
  ): Promise<Owner> {
    const owner = new Owner(options);
    const tree = await owner.#parts.start(branches(owner));
    owner.#tree = tree;
    void owner.#watch(tree);
    if (options.stays === true) owner.stay();
    void owner.#leaveWhenIdle();
    void owner.#leaveWhenHomeIsLost();
    return owner;
  }

  /** Its parts failed too often to be restarted once more. */
  get gaveUp(): boolean {
    return this.#gaveUp;
  }

  /** From now on it does not leave because nobody needs it. */
  stay(): void {
    this.#stays ??= this.idle.hold();
  }

  get engine(): Engine {
    return this.#parts.engine;
  }

  get journal(): Journal {
    return this.#parts.hold.journal;
  }

  get cooldowns(): CooldownsApi {
    return new CooldownsApi(this.#parts.cooldowns);
  }

  /** What people tell the runs, and are asked by them. */
  get people(): RunQuestions {
    return new RunQuestions(this.engine, this.#parts.pauses, (id) => this.run(id));
  }

  get agents(): AgentsApi {
    return this.#parts.agents.desk;
  }

  tree(): TreeView {
    return this.#parts.agents.inTree(this.#parts.book.view());
  }

  async *followTree(signal: AbortSignal): AsyncGenerator<TreeView, void> {
    for await (const view of this.#parts.book.follow(signal)) yield this.#parts.agents.inTree(view);
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
      ...this.#parts.busy(),
      defects: this.#parts.standing(),
      api: this.api,
      stays: this.#stays !== undefined,
    };
  }

  /** Loads the project's settings as they are now and pins them into the run. */
  submit(request: RunRequest, mark?: RequestMark): Promise<RunView> {
    const submitted = (): Promise<RunView> => this.#submit(request, mark);
    // A brief may take long, and others must not wait for it.
    return request.role === undefined ? this.#submitting.run(submitted) : submitted();
  }

  async #submit(request: RunRequest, mark?: RequestMark): Promise<RunView> {
    const { settings, project } = await projectSettings(this.#options, request.project, request);
    await requireDiskHeadroom(this.#options.home.dir, settings.limits);
    const desk = new Submissions(this.#options, this.#ground);
    const submission = await desk.submission(request, settings, project);
    await requireRunnable(submission, this.#ground);
    const marked = mark === undefined ? submission : { ...submission, request: mark };
    return this.run(await this.engine.start(marked));
  }

  /** What a run of this would be refused for, or find out before it begins. None exists afterwards. */
  preflight(request: RunRequest): Promise<Preflight> {
    return preflight(request, {
      options: this.#options,
      ground: this.#ground,
      journal: this.journal,
      cooling: () => this.#parts.cooldowns.cooling(),
    });
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
  async resume(id: RunId, request?: RequestMark): Promise<RunView> {
    const view = await this.run(id);
    const point = await resumePointOf(view, this.journal);
    return point === undefined ? view : this.fork(id, point, request);
  }

  /** A new run that goes on from the first facts of another. */
  async fork(id: RunId, seq: number, request?: RequestMark): Promise<RunView> {
    refuseAgent(await this.run(id));
    const { settings } = await settingsFor(this.#options, undefined, []);
    await requireDiskHeadroom(this.#options.home.dir, settings.limits);
    return this.run(await this.engine.fork(id, seq, request));
  }

  /** Aborts when it begins to close: whoever follows something should be told, and leave. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  follow(after: number, signal: AbortSignal): AsyncIterable<StoredEvent> {
    return followEvents(this.journal, { after }, signal);
  }

  async *followRun(
    run: RunId,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<StoredEvent, void> {
    await this.run(run);
    const { engine, journal, closing } = this;
    const { defects } = this.#parts;
    yield* followFacts({ run, engine, journal, defects, closing }, after, signal);
  }

  async *output(
    run: RunId,
    wish: OutputRequest,
    signal: AbortSignal,
  ): AsyncGenerator<OutputChunk, void> {
    await this.run(run);
    const dir = await this.#parts.hold.outputDir(run);
    yield* followOutputOf(
      { run, dir, engine: this.engine, clock: this.#options.clock },
      wish,
      signal,
    );
  }

  log(line: string): void {
    this.#options.log(line);
  }

  /** No more of it is told to those who follow; what else is asked is still answered. */
  beginToClose(reason: string): void {
    this.#closing.abort();
    this.askToClose(reason);
  }

  /** Ends in good order: the branches, the engine, the store. Runs that are going on are taken up by the next owner. A second call joins the first. */
  close(reason: string): Promise<void> {
    this.#closed ??= this.#close(reason);
    return this.#closed;
  }

  async #close(reason: string): Promise<void> {
    this.#reason = reason;
    this.beginToClose(reason);
    const { unstopped } = (await this.#tree?.stop()) ?? { unstopped: [] };
    for (const id of unstopped) this.log(`${id} did not end and is left`);
    this.#parts.throwIfLeft();
  }

  async #watch(tree: Supervisor): Promise<void> {
    const { why } = await tree.ended;
    this.#gaveUp = why !== 'stopped';
    this.askToClose(`it gave up: ${why}`);
  }

  /** Agents of an owner whose home was deleted work for nobody: they end, and it leaves. */
  async #leaveWhenHomeIsLost(): Promise<void> {
    while (await this.#options.clock.sleep(HOME_LOOK_MS, this.#closing.signal)) {
      const lost = this.#parts.lostHome;
      if (lost === undefined) continue;
      this.#gaveUp = true;
      this.log(`${lost} was deleted or replaced: its agents end, and so does this owner`);
      return this.close(`${lost} was deleted or replaced`).catch((error: unknown) =>
        this.log(`it could not end in good order: ${describeError(error)}`),
      );
    }
  }

  async #leaveWhenIdle(): Promise<void> {
    const { idleExitMs } = (await settingsFor(this.#options, undefined, [])).settings.owner;
    if (await this.idle.waitForIdle(idleExitMs, this.#closing.signal)) this.askToClose('idle');
  }
}
