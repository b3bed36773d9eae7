/**
 * The owner: the one process that holds the lock of a home, writes its journal and runs its agents.
 * It is a tree of components, each of which can fail and be restarted. Clients reach it through the
 * server, in process or over the socket.
 */
import { Refusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { Engine } from '../engine/engine.ts';
import { PROTOCOL_VERSION } from '../protocol/api.ts';
import type { OutputChunk, OutputRequest, OwnerView, RunRequest } from '../protocol/api.ts';
import { OWNER_STREAM, runStream } from '../protocol/streams.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { RequestMark } from '../protocol/run-submission.ts';
import type { PersonDecision, EditView } from '../protocol/views/approval-view.ts';
import type { RunEnvironment } from '../protocol/run-environment.ts';
import type { BaseCheckRequest, BaseCheckStep } from '../protocol/views/base-check-view.ts';
import type { Preflight } from '../protocol/views/preflight-view.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import type { TreeView } from '../protocol/views/tree-view.ts';
import type { Journal } from '../store/journal.ts';
import { followEvents } from '../store/follow.ts';
import type { EditPorts } from './approvals/edit-work.ts';
import { AppliesStore } from './applies/applies-store.ts';
import type { AgentsApi } from './agents/agents-api.ts';
import { RunArtifactsApi } from './runs/run-artifacts.ts';
import { BreakersApi } from './runs/breakers-api.ts';
import type { SchedulesApi } from './schedules/schedules-api.ts';
import { CooldownsApi } from './runs/cooldowns-api.ts';
import { Conclusions } from './notifications/conclusions.ts';
import { ViewedFeatures } from './features/viewed-features.ts';
import { workOfWorkflow } from './workflows/work-of-workflow.ts';
import { readBackwards, readStream } from './run-reader.ts';
import { OwnerLifetime } from './owner-lifetime.ts';
import { RunQuestions } from './runs/run-questions.ts';
import { checkBase } from './preflight/check-base.ts';
import { preflight } from './preflight/run-preflight.ts';
import { Preparations } from './preparations.ts';
import { Prune } from './runs/prune.ts';
import { realLeftovers } from './runs/prune-leftovers.ts';
import type { OwnerOptions } from './owner-options.ts';
import { OwnerComponents } from './owner-components.ts';
import type { OwnerBranch } from './owner-tree.ts';
import type { ExecutionHost } from '../execution/environments/environment.ts';
import { executionHost, workspacePorts } from './execution-host.ts';
import { IdempotentRequests } from './idempotent-requests.ts';
import { settingsFor } from './project-settings.ts';
import { RunCredentials } from './credentials/run-credentials.ts';
import { shellHost } from './credentials/shell-host.ts';
import { NewRuns } from './runs/new-runs.ts';
import { RunReports } from './runs/run-reports.ts';
import { StepReports } from './runs/step-reports.ts';
import { AttemptRecords } from './metrics/attempt-records.ts';
import { markHeld, RunListing, viewNow } from './runs/run-listing.ts';
import { followFacts, followOutputOf } from './runs/follow-run.ts';
import { RunChanges } from './runs/run-changes.ts';
import { realRunTrees } from './runs/run-trees.ts';

export class Owner {
  readonly changes: RunChanges;
  readonly prune: Prune;
  /** Executes a command that has an idempotency key only once. */
  readonly requests: IdempotentRequests;
  readonly artifacts: RunArtifactsApi;
  readonly reports: RunReports;
  readonly stepReports: StepReports;
  readonly features: ViewedFeatures;
  readonly attemptRecords: AttemptRecords;
  readonly conclusions: Conclusions;
  readonly credentials: RunCredentials;
  readonly lifetime: OwnerLifetime;
  /** The address of the HTTP API besides the socket, if there is one. */
  api: string | null = null;
  readonly #options: OwnerOptions;
  readonly #executionHost: ExecutionHost;
  readonly #startedAt: number;
  readonly #applies: AppliesStore;
  readonly #preparations = new Preparations();
  readonly #components: OwnerComponents;
  readonly newRuns: NewRuns;

  private constructor(options: OwnerOptions) {
    this.#options = options;
    this.#executionHost = { ...executionHost(options), onPreparing: this.#preparations.report };
    const { home, clock } = options;
    this.#startedAt = clock.now();
    this.#applies = new AppliesStore(() => this.journal, clock);
    this.changes = new RunChanges({
      home: home.dir,
      clock,
      trees: realRunTrees(home.dir, workspacePorts(options)),
      view: (id) => this.run(id),
      historyBack: (id) => readBackwards(this.journal, runStream(id)),
      workOfWorkflow: (id, project) =>
        workOfWorkflow(this.journal, id, home.dir, workspacePorts(options), project),
      facts: (after) => readStream(this.journal, OWNER_STREAM, after),
      record: (event) => this.#components.state.record(event),
      applies: this.#applies,
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
      withBelow: (views) => this.listing.withBelow(views),
      markHeld: (one) => markHeld(this.engine, one),
      artifacts: this.artifacts,
      applied: (id) => this.changes.applied(id as RunId),
      files: (id) => this.changes.files(id),
    });
    this.stepReports = new StepReports({ journal, clock });
    this.features = new ViewedFeatures({ journal, clock });
    this.attemptRecords = new AttemptRecords({ journal, clock });
    this.conclusions = new Conclusions(clock);
    this.#components = new OwnerComponents(options, {
      submit: (...command) => this.newRuns.submit(...command),
      conclusions: this.conclusions,
      executionHost: this.#executionHost,
      changes: this.changes,
      reports: this.reports,
      attemptRecords: this.attemptRecords,
      settings: () => settingsFor(options, undefined, []),
      reason: () => this.lifetime.reason,
    });
    const { environments, earlyPrompts } = this.#components;
    this.credentials = new RunCredentials({
      ...{ options, environments, journal, view },
      executionHost: this.#executionHost,
      answer: (run, signal) => this.questions.signal(run, signal),
    });
    this.newRuns = new NewRuns({
      ...{ options, environments, earlyPrompts, journal, view },
      executionHost: this.#executionHost,
      credentials: this.credentials,
      attemptRecords: this.attemptRecords,
      engine: () => this.engine,
    });
    this.lifetime = new OwnerLifetime({
      clock,
      log: options.log,
      isBusy: () => this.#components.isBusy(),
      lostHome: () => this.#components.lostHome,
      idleExitMs: async () => (await settingsFor(options, undefined, [])).settings.owner.idleExitMs,
      throwIfUnclosed: () => this.#components.throwIfUnclosed(),
    });
    const signal = this.lifetime.closing;
    this.prune = new Prune({
      leftovers: realLeftovers({
        ...{ home: home.dir, git: workspacePorts(options) },
        ...{ journal, signal },
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

  get breakers(): BreakersApi {
    return new BreakersApi(this.#components.breakers);
  }

  get cooldowns(): CooldownsApi {
    return new CooldownsApi(this.#components.cooldowns, this);
  }

  /** Runs at set times. */
  get schedules(): SchedulesApi {
    return this.#components.schedules.api;
  }

  now(): number {
    return this.#options.clock.now();
  }

  /** Open questions of runs, and signals to runs. */
  get questions(): RunQuestions {
    return new RunQuestions({
      engine: this.engine,
      pauses: this.#components.pauses,
      terminals: this.#components.terminals,
      view: (id) => this.run(id),
      journal: this.journal,
      now: () => this.#options.clock.now(),
      random: this.#options.random,
    });
  }

  /** The decision of a person about an approval. */
  decide(run: RunId, request: PersonDecision, mark?: RequestMark): Promise<void> {
    return this.questions.decide(run, request, this.#editPorts(), mark);
  }

  /** The checkout in which a person changes the work that an approval is about. */
  edit(run: RunId): Promise<EditView> {
    return this.questions.edit(run, this.#editPorts());
  }

  #editPorts(): EditPorts {
    const home = this.#options.home.dir;
    const git = workspacePorts(this.#options);
    return { home, git, work: (id) => workOfWorkflow(this.journal, id, home, git) };
  }

  /** The runs as people list and name them. */
  get listing(): RunListing {
    const { engine, journal, agents } = this;
    const { clock } = this.#options;
    const [preparations, { messages }] = [this.#preparations, this.questions];
    const applies = {
      read: () => this.#applies.read(),
      check: (id: RunId) => this.changes.applied(id),
    };
    return new RunListing({ engine, journal, agents, clock, applies, preparations, messages });
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
      ...{ product: 'supervisor', protocol: PROTOCOL_VERSION, version, pid, home: home.dir },
      startedAt: this.#startedAt,
      ...this.#components.busy(),
      defects: this.#components.stuckRuns(),
      api: this.api,
      staysWhenIdle: this.lifetime.staysWhenIdle,
    };
  }

  submit(...command: Parameters<NewRuns['submit']>): Promise<RunView> {
    return this.newRuns.submit(...command);
  }

  /**
   * Checks everything for which a run of this request would be refused or would fail early. Creates
   * no run.
   */
  preflight(request: RunRequest, environment?: RunEnvironment): Promise<Preflight> {
    return preflight(request, environment, {
      options: this.#options,
      executionHost: this.#executionHost,
      journal: this.journal,
      cooling: () => this.#components.cooldowns.cooling(),
    });
  }

  /** Runs the setup and the gates of a project once, on its files as they are now. Creates no run. */
  checkBase(
    request: BaseCheckRequest,
    signal: AbortSignal,
    environment?: RunEnvironment,
  ): AsyncGenerator<BaseCheckStep, void> {
    const host = shellHost(this.#executionHost, environment);
    return checkBase(request, { options: this.#options, host }, signal);
  }

  async run(id: RunId): Promise<RunView> {
    const view = await this.engine.get(id);
    if (view !== undefined) return viewNow(this.engine, view, this.#options.clock.now());
    throw new Refusal({
      code: 'run.not-found',
      message: `There is no run ${id}.`,
      hint: 'List the runs with: supervisor status --all',
    });
  }

  /** The run of a command that is sent again. An owner that has died meanwhile has lost what it was given. */
  async supplied(id: RunId, environment: RunEnvironment | undefined): Promise<RunView> {
    await this.credentials.supply(id, environment);
    return this.run(id);
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
