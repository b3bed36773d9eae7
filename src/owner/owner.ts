/**
 * The owner: the one process that holds the lock of a home, writes its journal and runs its agents.
 * It is a tree of components, each of which can fail and be restarted. Clients reach it through the
 * server, in process or over the socket.
 */
import { Refusal } from '../base/errors.ts';
import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import type { RunId } from '../base/ids.ts';
import type { Engine } from '../engine/engine.ts';
import { PROTOCOL_VERSION } from '../protocol/api.ts';
import type { OutputChunk, OutputRequest, OwnerView, RunRequest } from '../protocol/api.ts';
import { OWNER_STREAM, runStream } from '../protocol/streams.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { RequestMark } from '../protocol/run-submission.ts';
import type { BaseCheckRequest, BaseCheckStep } from '../protocol/views/base-check-view.ts';
import type { Preflight } from '../protocol/views/preflight-view.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import type { TreeView } from '../protocol/views/tree-view.ts';
import type { Journal } from '../store/journal.ts';
import { followEvents } from '../store/follow.ts';
import { AppliesStore } from './applies/applies-store.ts';
import type { AgentsApi } from './agents/agents-api.ts';
import { RunArtifactsApi } from './runs/run-artifacts.ts';
import { Submissions } from './runs/submissions.ts';
import { CooldownsApi } from './runs/cooldowns-api.ts';
import { readBackwards, readStream } from './run-reader.ts';
import { OwnerLifetime } from './owner-lifetime.ts';
import { RunQuestions } from './runs/run-questions.ts';
import { checkBase } from './preflight/check-base.ts';
import { preflight } from './preflight/run-preflight.ts';
import { Preparations } from './preparations.ts';
import { Prune } from './runs/prune.ts';
import { realLeftovers } from './runs/prune-leftovers.ts';
import { requireProject } from './runs/require-project.ts';
import { requireRunnable } from './runs/require-runnable.ts';
import { requireSetup, runToSetUp } from './runs/require-setup.ts';
import { requireDiskHeadroom } from './disk-headroom.ts';
import type { OwnerOptions } from './owner-options.ts';
import { OwnerComponents } from './owner-components.ts';
import type { OwnerBranch } from './owner-tree.ts';
import type { ExecutionHost } from '../execution/environments/environment.ts';
import { executionHost, workspacePorts } from './execution-host.ts';
import { IdempotentRequests } from './idempotent-requests.ts';
import { settingsFor, projectSettings } from './project-settings.ts';
import { RunReports } from './runs/run-reports.ts';
import { findResumePoint, refuseAgent } from './runs/resume-run.ts';
import { RunListing } from './runs/run-listing.ts';
import { followFacts, followOutputOf } from './runs/follow-run.ts';
import { RunChanges } from './runs/run-changes.ts';
import { realRunTrees } from './runs/run-trees.ts';

/** Only a few submissions are prepared at a time, so that the event loop stays responsive. */
const SUBMISSIONS_MAX = 8;

export class Owner {
  readonly changes: RunChanges;
  readonly prune: Prune;
  /** Executes a command that has an idempotency key only once. */
  readonly requests: IdempotentRequests;
  readonly artifacts: RunArtifactsApi;
  readonly reports: RunReports;
  readonly lifetime: OwnerLifetime;
  /** The address of the HTTP API besides the socket, if there is one. */
  api: string | null = null;
  readonly #options: OwnerOptions;
  readonly #executionHost: ExecutionHost;
  readonly #startedAt: number;
  readonly #applies: AppliesStore;
  readonly #preparations = new Preparations();
  readonly #components: OwnerComponents;
  readonly #submitting = new ConcurrencyLimit(SUBMISSIONS_MAX);

  private constructor(options: OwnerOptions) {
    this.#options = options;
    this.#executionHost = {
      ...executionHost(options),
      onPreparing: this.#preparations.report,
    };
    const { home, clock } = options;
    this.#startedAt = clock.now();
    const applies = new AppliesStore(() => this.journal, clock);
    this.#applies = applies;
    this.changes = new RunChanges({
      home: home.dir,
      clock,
      trees: realRunTrees(home.dir, workspacePorts(options)),
      view: (id) => this.run(id),
      historyBack: (id) => readBackwards(this.journal, runStream(id)),
      facts: (after) => readStream(this.journal, OWNER_STREAM, after),
      record: (event) => this.#components.state.record(event),
      applies,
      message: (id, firstLine) => this.reports.commitMessage(id, firstLine),
    });
    const view = (id: RunId): Promise<RunView> => this.run(id);
    this.artifacts = new RunArtifactsApi(home.dir, view);
    const journal = (): Journal => this.journal;
    this.requests = new IdempotentRequests(journal);
    this.reports = new RunReports({
      journal,
      clock,
      view,
      hold: (one) => this.listing.hold(one),
      artifacts: this.artifacts,
      applied: (id) => applies.view(id),
      files: (id) => this.changes.files(id),
    });
    this.#components = new OwnerComponents(options, {
      executionHost: this.#executionHost,
      changes: this.changes,
      reports: this.reports,
      settings: () => settingsFor(options, undefined, []),
      reason: () => this.lifetime.reason,
    });
    this.lifetime = new OwnerLifetime({
      clock,
      log: options.log,
      isBusy: () => this.#components.busy().runs > 0,
      lostHome: () => this.#components.lostHome,
      idleExitMs: async () => (await settingsFor(options, undefined, [])).settings.owner.idleExitMs,
      throwIfUnclosed: () => this.#components.throwIfUnclosed(),
    });
    const signal = this.lifetime.closing;
    this.prune = new Prune({
      leftovers: realLeftovers({
        home: home.dir,
        git: workspacePorts(options),
        journal,
        signal,
      }),
      journal,
      record: (event) => this.#components.state.record(event),
      signal,
    });
  }

  /**
   * `branches` adds supervisors to the tree, such as the server. Refuses with
   * `owner.already-running` if another process owns this home.
   */
  static async open(
    options: OwnerOptions,
    branches: (owner: Owner) => readonly OwnerBranch[] = () => [],
  ): Promise<Owner> {
    const owner = new Owner(options);
    const tree = await owner.#components.start(branches(owner));
    if (options.stays === true) owner.lifetime.stay();
    owner.lifetime.begin(tree);
    return owner;
  }

  get engine(): Engine {
    return this.#components.engine;
  }

  get journal(): Journal {
    return this.#components.state.journal;
  }

  get cooldowns(): CooldownsApi {
    return new CooldownsApi(this.#components.cooldowns);
  }

  /** Open questions of runs, and signals to runs. */
  get questions(): RunQuestions {
    return new RunQuestions(this.engine, this.#components.pauses, (id) => this.run(id));
  }

  /** The runs as people list and name them. */
  get listing(): RunListing {
    const { engine, journal, agents } = this;
    const { clock } = this.#options;
    const [applies, preparations] = [this.#applies, this.#preparations];
    return new RunListing({ engine, journal, agents, clock, applies, preparations });
  }

  get agents(): AgentsApi {
    return this.#components.agents.api;
  }

  tree(): TreeView {
    return this.#components.agents.inTree(this.#components.treeState.view());
  }

  async *followTree(signal: AbortSignal): AsyncGenerator<TreeView, void> {
    for await (const view of this.#components.treeState.follow(signal))
      yield this.#components.agents.inTree(view);
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
      ...this.#components.busy(),
      defects: this.#components.stuckRuns(),
      api: this.api,
      staysWhenIdle: this.lifetime.staysWhenIdle,
    };
  }

  /** Loads the project's settings as they are now and pins them into the run. */
  submit(request: RunRequest, mark?: RequestMark): Promise<RunView> {
    const submit = (): Promise<RunView> => this.#submit(request, mark);
    // Preparing a brief can take long, so it does not count against the limit for plain
    // submissions.
    return request.role === undefined ? this.#submitting.run(submit) : submit();
  }

  async #submit(request: RunRequest, mark?: RequestMark): Promise<RunView> {
    const { settings, project } = await projectSettings(this.#options, request.project, request);
    await requireDiskHeadroom(this.#options.home.dir, settings.limits);
    const submissions = new Submissions(this.#options, this.#executionHost);
    const submission = await submissions.submission(request, settings, project);
    await requireSetup(runToSetUp(submission, request, settings));
    await requireProject(submission, this.#executionHost);
    await requireRunnable(submission, this.#executionHost);
    const marked = mark === undefined ? submission : { ...submission, request: mark };
    return this.run(await this.engine.start(marked));
  }

  /**
   * Checks everything for which a run of this request would be refused or would fail early. Creates
   * no run.
   */
  preflight(request: RunRequest): Promise<Preflight> {
    return preflight(request, {
      options: this.#options,
      executionHost: this.#executionHost,
      journal: this.journal,
      cooling: () => this.#components.cooldowns.cooling(),
    });
  }

  /** Runs the setup and the gates of a project once, on its files as they are now. Creates no run. */
  checkBase(request: BaseCheckRequest, signal: AbortSignal): AsyncGenerator<BaseCheckStep, void> {
    return checkBase(request, { options: this.#options, host: this.#executionHost }, signal);
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

  /**
   * Returns a run that has not ended as it is. A run that ended badly continues as a new run, from
   * a point before its end.
   */
  async resume(id: RunId, request?: RequestMark): Promise<RunView> {
    const view = await this.run(id);
    const point = await findResumePoint(view, this.journal);
    return point === undefined ? view : this.fork(id, point, request);
  }

  /** Starts a new run that continues from the first `seq` facts of another run. */
  async fork(id: RunId, seq: number, request?: RequestMark): Promise<RunView> {
    refuseAgent(await this.run(id));
    const { settings } = await settingsFor(this.#options, undefined, []);
    await requireDiskHeadroom(this.#options.home.dir, settings.limits);
    return this.run(await this.engine.fork(id, seq, request));
  }

  /** Aborts when the owner begins to close. Streams to clients end then. */
  get closing(): AbortSignal {
    return this.lifetime.closing;
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
    const { defects } = this.#components;
    yield* followFacts({ run, engine, journal, defects, closing }, after, signal);
  }

  async *output(
    run: RunId,
    request: OutputRequest,
    signal: AbortSignal,
  ): AsyncGenerator<OutputChunk, void> {
    await this.run(run);
    const dir = await this.#components.state.outputDir(run);
    yield* followOutputOf(
      { run, dir, engine: this.engine, clock: this.#options.clock },
      request,
      signal,
    );
  }

  log(line: string): void {
    this.#options.log(line);
  }

  /** The next owner resumes the runs that have not ended. */
  close(reason: string): Promise<void> {
    return this.lifetime.close(reason);
  }
}
