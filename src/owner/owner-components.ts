/**
 * The current components of the owner's tree. A supervisor may replace each of them at any time.
 */
import { BreakerStore } from '../limits/breaker-store.ts';
import { CooldownStore } from '../limits/cooldown-store.ts';
import type { Refusal } from '../base/errors.ts';
import { describeError } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { LoadedSettings } from '../config/load-settings.ts';
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts';
import { Reaper } from '../host/process/reaper.ts';
import type { OwnerView } from '../protocol/api.ts';
import { OWNER_STREAM } from '../protocol/streams.ts';
import { isStoreFault } from '../store/is-store-fault.ts';
import type { ChildSpec, StartResult, SupervisionEvent, Supervisor } from '../supervision/index.ts';
import { AgentsComponent } from './agents/agents-component.ts';
import { hygieneChild } from './monitors/hygiene-monitor.ts';
import { ActivityBus } from './monitors/activity-bus.ts';
import { Defects } from './defects.ts';
import { gangSiblings } from './monitors/gang-membership.ts';
import type { OwnerOptions } from './owner-options.ts';
import type { OwnerBranch } from './owner-tree.ts';
import { startTree } from './owner-tree.ts';
import { startMonitors } from './monitors/start-monitors.ts';
import type { Conclusions } from './notifications/conclusions.ts';
import { notificationsChild } from './notifications/notifications-child.ts';
import type { SubmitScheduled } from './schedules/schedules-api.ts';
import { SchedulesComponent } from './schedules/schedules-component.ts';
import { OwnerComponent, unavailable } from './component.ts';
import { RunEnvironments } from './credentials/run-environments.ts';
import { Pauses } from './pauses.ts';
import { signalRun } from './runs/run-questions.ts';
import { ownerPerformers } from './performers.ts';
import { RUN_PROGRAMS } from './run-programs.ts';
import type { ExecutionHost } from '../execution/environments/environment.ts';
import { PersonTerminals } from '../execution/takeover/person-terminals.ts';
import { gatewayProcesses } from './execution-host.ts';
import { RunsSupervisor } from './runs-supervisor.ts';
import { OwnerState, ownerTag } from './owner-state.ts';
import type { AttemptRecords } from './metrics/attempt-records.ts';
import type { RunReports } from './runs/run-reports.ts';
import { projectLimits } from './runs/submission.ts';
import { cleanOrphans } from './clean-orphans.ts';
import { TreeState } from './tree-state.ts';
import { EarlyPrompts } from './workflows/early-prompts.ts';
import { MonitorStore } from './monitors/monitor-store.ts';
import type { RunChanges } from './runs/run-changes.ts';

export type ComponentsPorts = {
  readonly executionHost: ExecutionHost;
  readonly changes: RunChanges;
  readonly reports: RunReports;
  readonly attemptRecords: AttemptRecords;
  readonly conclusions: Conclusions;
  readonly submit: SubmitScheduled;
  readonly settings: () => Promise<LoadedSettings>;
  /** Why the owner closes; recorded as the last fact of its stream. */
  readonly reason: () => string;
};

const RUNS_MAX = 100_000;
const HISTORY_PAGE = 1000;

export class OwnerComponents {
  readonly treeState: TreeState;
  readonly defects = new Defects();
  readonly pauses = new Pauses();
  readonly environments: RunEnvironments;
  readonly earlyPrompts: EarlyPrompts;
  /** Of people who take agents over. */
  readonly terminals = new PersonTerminals();
  /** Activity of agents, for the monitors. */
  readonly activity = new ActivityBus();
  readonly agents: AgentsComponent;
  readonly schedules: SchedulesComponent;
  readonly #options: OwnerOptions;
  readonly #ports: ComponentsPorts;
  #state: OwnerState | undefined;
  #lostHome: Refusal | undefined;
  #store: OwnerComponent | undefined;
  #engine: EmbeddedEngine | undefined;
  #cooldowns: CooldownStore | undefined;
  #breakers: BreakerStore | undefined;
  #monitorStore: MonitorStore | undefined;
  #runs: RunsSupervisor | undefined;
  /** The first error with which a component failed to close. */
  #closeError: { readonly error: unknown } | undefined;

  constructor(options: OwnerOptions, ports: ComponentsPorts) {
    this.#options = options;
    this.#ports = ports;
    this.treeState = new TreeState(options.clock);
    this.environments = new RunEnvironments(options.env);
    this.earlyPrompts = new EarlyPrompts(options.clock);
    this.schedules = new SchedulesComponent(options.clock, ports.submit);
    this.agents = new AgentsComponent(options, {
      tree: this.treeState,
      executionHost: ports.executionHost,
      environments: this.environments,
      engine: () => this.engine,
      signal: (run, signal, request) => signalRun(this.engine, this.pauses, run, signal, request),
      onJournalFault: (why) => this.#store?.fail(why),
    });
  }

  start(branches: readonly OwnerBranch[]): Promise<Supervisor> {
    const starters = {
      store: () => this.#startStore(),
      reaper: () => this.#startReaper(),
      engine: () => this.#startEngine(),
      runs: (observe: (event: SupervisionEvent) => void, signal: AbortSignal) =>
        this.#startRuns(observe, signal),
    };
    const notifications = notificationsChild(this.#options, () => this.state.journal, this.#ports);
    return startTree(this.#options.clock, this.treeState, starters, [
      this.agents.branch(),
      { id: 'monitors', children: [this.#hygiene(), ...this.#monitors()] },
      { id: 'notifications', children: [notifications] },
      this.schedules.branch(),
      ...branches,
    ]);
  }

  /** Refuses while the store is being restarted or after it was closed. */
  get state(): OwnerState {
    return this.#state ?? unavailable('The journal');
  }

  get engine(): EmbeddedEngine {
    return this.#engine ?? unavailable('The engine');
  }

  get breakers(): BreakerStore {
    return this.#breakers ?? unavailable('The store of circuit breakers');
  }

  get cooldowns(): CooldownStore {
    return this.#cooldowns ?? unavailable('The cooldown store');
  }

  busy(): ReturnType<EmbeddedEngine['busy']> {
    return this.#engine?.busy() ?? { runs: 0, commands: 0 };
  }

  /** An owner must be there. */
  isBusy(): boolean {
    return this.busy().runs > 0 || this.schedules.isWaiting;
  }

  throwIfUnclosed(): void {
    if (this.#closeError !== undefined) throw this.#closeError.error;
  }

  #monitors(): readonly ChildSpec[] {
    return startMonitors(this.#options, {
      activityBus: this.activity,
      agents: this.agents.monitored(),
      store: () => this.#monitorStore ?? unavailable('The monitor store'),
      note: (monitor, text) => this.treeState.note(`owner/branches/monitors/${monitor}`, text),
    });
  }

  #hygiene(): ChildSpec {
    const { clock, home, log } = this.#options;
    return hygieneChild({
      clock,
      log,
      outputs: home.outputs,
      runState: async (run) => {
        const view = await this.engine.get(run);
        if (view === undefined) return 'unknown';
        return view.endedAt === null ? 'running' : 'ended';
      },
      policy: async () => {
        const { settings } = await this.#ports.settings();
        return { deleteAfterMs: settings.owner.clearOrphansAfterMs };
      },
      report: (report) => this.treeState.note('owner/branches/monitors/hygiene', report),
    });
  }

  /** Why this owner holds its state no more. */
  get lostHome(): Refusal | undefined {
    this.#lostHome ??= this.#state?.lost();
    return this.#lostHome;
  }

  /**
   * An owner that lost its home restarts nothing, because the files at that path, or the database, belong to another
   * owner.
   */
  #requireHome(): void {
    const lost = this.lostHome;
    if (lost !== undefined) throw lost;
  }

  async #startStore(): Promise<StartResult> {
    this.#requireHome();
    const state = await OwnerState.take(this.#options);
    this.#state = state;
    this.#store = this.#component(async () => {
      this.#state = undefined;
      await state.release(this.#ports.reason());
    });
    return { kind: 'started', child: this.#store };
  }

  /** Without a shell there is no reaper, and the owner works without one. */
  async #startReaper(): Promise<StartResult> {
    const reaper = new Reaper(ownerTag(this.#options));
    if (!reaper.isWatching) return { kind: 'ignored' };
    const component = this.#component(() => reaper.close());
    void reaper.gone.then(() => component.fail('its process ended'));
    return { kind: 'started', child: component };
  }

  async #startEngine(): Promise<StartResult> {
    const { clock, random, log } = this.#options;
    const { state } = this;
    this.#requireHome();
    const { settings } = await this.#ports.settings();
    // Orphans do not interfere with new runs, so a failure to remove them does not prevent the
    // start.
    const cleaned = cleanOrphans(this.#options, settings.sandbox);
    await this.#orLog('remove all orphans of an earlier owner', cleaned);
    const cooldowns = await CooldownStore.open({ journal: state.journal, clock });
    const breakers = await BreakerStore.open({ journal: state.journal, clock });
    await this.schedules.open(state.journal);
    const monitorStore = await MonitorStore.open({ journal: state.journal, clock });
    const { budgetPools } = await this.agents.open(state.journal);
    const gateways = gatewayProcesses(this.#options);
    const engine = await EmbeddedEngine.open({
      journal: state.journal,
      clock,
      random,
      programs: RUN_PROGRAMS,
      performers: ownerPerformers(this.#options, state, {
        executionHost: this.#ports.executionHost,
        cooldowns,
        breakers,
        pauses: this.pauses,
        terminals: this.terminals,
        environments: this.environments,
        earlyPrompts: this.earlyPrompts,
        budgetPools,
        gateways,
        signal: (run, signal) => this.engine.signal(run, signal),
        siblingsOf: (run) => gangSiblings(run, this.agents.monitored()),
        onActivity: this.activity.publish,
      }),
      limits: projectLimits(settings),
      onEnded: (run) => {
        this.environments.forget(run);
        this.pauses.release(run);
        budgetPools.forget(run);
        void this.#orLog('count attempts', this.#ports.attemptRecords.grown());
      },
      onChild: (child, parent) => this.environments.inherit(child, parent),
      onDriven: (run) => void this.#runs?.adopt(run),
      onBroken: (run, error) => {
        log(`run ${run} failed with a defect: ${describeError(error)}`);
        if (isStoreFault(error)) this.#store?.fail(describeError(error));
      },
      onDefect: (run, error) => this.#reportStuck(run, describeError(error)),
      onGrown: (run, seq) =>
        void this.#orLog(`store the history of run ${run}`, this.#ports.reports.grown(run, seq)),
    });
    this.#engine = engine;
    this.#cooldowns = cooldowns;
    this.#breakers = breakers;
    this.#monitorStore = monitorStore;
    const last = await state.journal.lastSeq(OWNER_STREAM);
    const page = { after: Math.max(0, last - HISTORY_PAGE), limit: HISTORY_PAGE };
    const facts = await state.journal.readStream(OWNER_STREAM, page);
    // The runs must not wait for this. If the user applies again, the user gets the error.
    await this.#orLog('resume an apply', this.#ports.changes.resume(facts));
    const component = this.#component(async () => {
      this.#engine = undefined;
      this.#cooldowns = undefined;
      this.#breakers = undefined;
      this.schedules.close();
      this.#monitorStore = undefined;
      await this.#orLog('store the state of the monitors', monitorStore.flushed());
      await engine.close();
      await gateways.close();
      await this.agents.close();
    });
    return { kind: 'started', child: component };
  }

  async #startRuns(
    observe: (event: SupervisionEvent) => void,
    signal: AbortSignal,
  ): Promise<RunsSupervisor> {
    const { engine } = this;
    const { clock } = this.#options;
    const onStuck = (run: RunId, why: string): void => {
      this.#reportStuck(run, why);
      // A run that was started by another one is ended, so that the other one gets a result.
      void engine
        .giveUp(run, why)
        .catch((error: unknown) => this.#options.log(`run ${run}: ${describeError(error)}`));
    };
    const runs = await RunsSupervisor.start({ clock, engine, observe, onStuck }, signal);
    this.#runs = runs;
    const stuck = new Set<string>(this.defects.list().map(({ run }) => run));
    const open = await engine.list({ ended: false, limit: RUNS_MAX });
    for (const { id } of open.toReversed()) if (!stuck.has(id)) await runs.adopt(id as RunId);
    return runs;
  }

  /** Runs that cannot continue, and why: a defect, or a damaged fact in the journal. */
  stuckRuns(): OwnerView['defects'] {
    return this.defects.listWith(this.#state?.journal.damages() ?? []);
  }

  #reportStuck(run: RunId, why: string): void {
    this.defects.add(run, why);
    this.#options.log(`run ${run} cannot continue: ${why}`);
  }

  /** A failure of this work is logged, and the owner works on. */
  async #orLog(what: string, work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#options.log(`could not ${what}: ${describeError(error)}`);
    }
  }

  /** Creates a component whose failure to close is kept and thrown again by `throwIfUnclosed`. */
  #component(close: () => Promise<void>): OwnerComponent {
    return new OwnerComponent(async () => {
      try {
        await close();
      } catch (error) {
        this.#closeError ??= { error };
        throw error;
      }
    });
  }
}
