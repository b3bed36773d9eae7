/** The parts that the owner's tree is made of, as they are now: each may have been replaced by another of its kind. */
import { attemptsProgram } from '../attempts/attempts-program.ts';
import { CooldownStore } from '../limits/cooldown-store.ts';
import { Refusal, describeError } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { LoadedSettings } from '../config/load-settings.ts';
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts';
import { Reaper } from '../host/process/reaper.ts';
import { agentProgram } from '../agents/agent-program.ts';
import type { OwnerView } from '../protocol/api.ts';
import { OWNER_STREAM, runOfStream } from '../protocol/event.ts';
import { homeLost } from '../store/journal-refusals.ts';
import { isFileFault } from '../store/sqlite/sqlite-errors.ts';
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
import { notificationsChild } from './notifications/notifications-child.ts';
import { OwnerComponent } from './component.ts';
import { Pauses } from './pauses.ts';
import { signalRun } from './runs/run-questions.ts';
import { ownerPerformers } from './performers.ts';
import type { ExecutionHost } from './execution-host.ts';
import { gatewayProcesses } from './execution-host.ts';
import { RunsSupervisor } from './runs-supervisor.ts';
import { OwnerState, ownerTag } from './owner-state.ts';
import type { RunReports } from './runs/run-reports.ts';
import { projectLimits } from './runs/submission.ts';
import { cleanOrphans } from './clean-orphans.ts';
import { TreeState } from './tree-state.ts';
import { MonitorStore } from './monitors/monitor-store.ts';
import type { RunChanges } from './runs/run-changes.ts';

export type ComponentsPorts = {
  readonly ground: ExecutionHost;
  readonly work: RunChanges;
  readonly stories: RunReports;
  readonly settings: () => Promise<LoadedSettings>;
  /** Why it is let go of, for the last word in the journal. */
  readonly reason: () => string;
};

const RUNS_MAX = 100_000;
const HISTORY_PAGE = 1000;

export class OwnerComponents {
  readonly book: TreeState;
  readonly defects = new Defects();
  readonly pauses = new Pauses();
  /** What agents are seen doing, for whoever watches over them. */
  readonly deeds = new ActivityBus();
  readonly agents: AgentsComponent;
  readonly #options: OwnerOptions;
  readonly #ports: ComponentsPorts;
  #hold: OwnerState | undefined;
  #lostHome: string | undefined;
  #store: OwnerComponent | undefined;
  #engine: EmbeddedEngine | undefined;
  #cooldowns: CooldownStore | undefined;
  #watches: MonitorStore | undefined;
  #runs: RunsSupervisor | undefined;
  /** The first thing that could not be let go of as it should. */
  #left: { readonly error: unknown } | undefined;

  constructor(options: OwnerOptions, ports: ComponentsPorts) {
    this.#options = options;
    this.#ports = ports;
    this.book = new TreeState(options.clock);
    this.agents = new AgentsComponent(options, {
      tree: this.book,
      ground: ports.ground,
      engine: () => this.engine,
      signal: (run, signal, request) => signalRun(this.engine, this.pauses, run, signal, request),
    });
  }

  start(branches: readonly OwnerBranch[]): Promise<Supervisor> {
    const ground = {
      store: () => this.#startStore(),
      reaper: () => this.#startReaper(),
      engine: () => this.#startEngine(),
      runs: (observe: (event: SupervisionEvent) => void, signal: AbortSignal) =>
        this.#startRuns(observe, signal),
    };
    const monitors: OwnerBranch = {
      id: 'monitors',
      children: [this.#cleanup(), ...this.#watchers()],
    };
    const telling = notificationsChild(this.#options, () => this.hold.journal, this.#ports.stories);
    const notices: OwnerBranch = { id: 'notices', children: [telling] };
    return startTree(this.#options.clock, this.book, ground, [
      this.agents.branch(),
      monitors,
      notices,
      ...branches,
    ]);
  }

  /** Refuses while it is being replaced, or is gone. */
  get hold(): OwnerState {
    return this.#hold ?? notNow('The journal');
  }

  get engine(): EmbeddedEngine {
    return this.#engine ?? notNow('The engine');
  }

  get cooldowns(): CooldownStore {
    return this.#cooldowns ?? notNow('The book of cooldowns');
  }

  busy(): ReturnType<EmbeddedEngine['busy']> {
    return this.#engine?.busy() ?? { runs: 0, commands: 0 };
  }

  throwIfLeft(): void {
    if (this.#left !== undefined) throw this.#left.error;
  }

  #watchers(): readonly ChildSpec[] {
    return startMonitors(this.#options, {
      deeds: this.deeds,
      agents: this.agents.watched(),
      watches: () => this.#watches ?? notNow('What the monitors remember'),
      note: (monitor, words) => this.book.note(`owner/branches/monitors/${monitor}`, words),
    });
  }

  #cleanup(): ChildSpec {
    const { clock, home, log } = this.#options;
    return hygieneChild({
      clock,
      log,
      outputs: home.outputs,
      stateOf: async (run) => {
        const view = await this.engine.get(run);
        if (view === undefined) return 'unknown';
        return view.endedAt === null ? 'going-on' : 'ended';
      },
      policy: async () => {
        const { settings } = await this.#ports.settings();
        return { deleteAfterMs: settings.owner.clearOrphansAfterMs };
      },
      say: (report) => this.book.note('owner/branches/monitors/cleanup-daemon', report),
    });
  }

  /** Where the home of this owner was, once it is not there any more. */
  get lostHome(): string | undefined {
    this.#lostHome ??= this.#hold?.lost();
    return this.#lostHome;
  }

  /** An owner whose home is gone starts nothing again: what is at the path belongs to another. */
  #needHome(): void {
    const lost = this.lostHome;
    if (lost !== undefined) throw homeLost(lost);
  }

  async #startStore(): Promise<StartResult> {
    this.#needHome();
    const hold = await OwnerState.take(this.#options);
    this.#hold = hold;
    this.#store = this.#part(async () => {
      this.#hold = undefined;
      await hold.release(this.#ports.reason());
    });
    return { kind: 'started', child: this.#store };
  }

  /** Without a shell there is none, and nobody else is the worse for it. */
  async #startReaper(): Promise<StartResult> {
    const reaper = new Reaper(ownerTag(this.#options));
    if (!reaper.isWatching) return { kind: 'ignored' };
    const part = this.#part(() => reaper.close());
    void reaper.gone.then(() => part.fail('somebody has ended it'));
    return { kind: 'started', child: part };
  }

  async #startEngine(): Promise<StartResult> {
    const { clock, luck, log } = this.#options;
    const { hold } = this;
    this.#needHome();
    const { settings } = await this.#ports.settings();
    // What is left over is in nobody's way: that it can't be cleared away is no reason not to start.
    await cleanOrphans(this.#options, settings.sandbox).catch((error: unknown) =>
      log(`something of an earlier owner is left: ${describeError(error)}`),
    );
    const cooldowns = await CooldownStore.open({ journal: hold.journal, clock });
    const watches = await MonitorStore.open({ journal: hold.journal, clock });
    const { purses } = await this.agents.open(hold.journal);
    const gateways = gatewayProcesses(this.#options);
    const engine = await EmbeddedEngine.open({
      journal: hold.journal,
      clock,
      luck,
      programs: [attemptsProgram, agentProgram],
      performers: ownerPerformers(this.#options, hold, {
        ground: this.#ports.ground,
        cooldowns,
        pauses: this.pauses,
        purses,
        gateways,
        signal: (run, signal) => this.engine.signal(run, signal),
        siblingsOf: (run) => gangSiblings(run, this.agents.watched()),
        onDeed: this.deeds.tell,
      }),
      limits: projectLimits(settings),
      onDriven: (run) => void this.#runs?.adopt(run),
      onBroken: (run, error) => {
        log(`run ${run} broke: ${describeError(error)}`);
        if (isFileFault(error)) this.#store?.fail(describeError(error));
      },
      onDefect: (run, error) => this.#stuck(run, describeError(error)),
      onGrown: (run, seq) =>
        void this.#ports.stories
          .grown(run, seq)
          .catch((error: unknown) =>
            log(`the story of ${run} is not kept: ${describeError(error)}`),
          ),
    });
    this.#engine = engine;
    this.#cooldowns = cooldowns;
    this.#watches = watches;
    const last = await hold.journal.lastSeq(OWNER_STREAM);
    const page = { after: Math.max(0, last - HISTORY_PAGE), limit: HISTORY_PAGE };
    await this.#ports.work
      .takeUp(await hold.journal.readStream(OWNER_STREAM, page))
      // The user says apply again and hears why; the runs must not wait for that.
      .catch((error: unknown) => log(`an apply can't go on: ${describeError(error)}`));
    const part = this.#part(async () => {
      this.#engine = undefined;
      this.#cooldowns = undefined;
      this.#watches = undefined;
      await watches
        .flushed()
        .catch((error: unknown) => log(`monitors forget: ${describeError(error)}`));
      await engine.close();
      await gateways.close();
      await this.agents.close();
    });
    return { kind: 'started', child: part };
  }

  async #startRuns(
    observe: (event: SupervisionEvent) => void,
    signal: AbortSignal,
  ): Promise<RunsSupervisor> {
    const { engine } = this;
    const { clock } = this.#options;
    const onStuck = (run: RunId, why: string): void => this.#stuck(run, why);
    const runs = await RunsSupervisor.start({ clock, engine, observe, onStuck }, signal);
    this.#runs = runs;
    const stuck = new Set<string>(this.defects.list().map(({ run }) => run));
    const open = await engine.list({ ended: false, limit: RUNS_MAX });
    for (const { id } of open.toReversed()) if (!stuck.has(id)) await runs.adopt(id as RunId);
    return runs;
  }

  /** The runs that can't go on, and why: a fault of ours, or a damaged fact. */
  standing(): OwnerView['defects'] {
    const damaged = (this.#hold?.journal.damages() ?? []).flatMap(({ stream, refusal }) => {
      const run = runOfStream(stream);
      return run === undefined ? [] : [{ run, message: refusal.message, damaged: true as const }];
    });
    const known = new Set(damaged.map(({ run }) => run));
    return [...damaged, ...this.defects.list().filter(({ run }) => !known.has(run))];
  }

  #stuck(run: RunId, why: string): void {
    this.defects.add(run, why);
    this.#options.log(`run ${run} can't go on: ${why}`);
  }

  /** A part whose close can't fail unheard. */
  #part(close: () => Promise<void>): OwnerComponent {
    return new OwnerComponent(async () => {
      try {
        await close();
      } catch (error) {
        this.#left ??= { error };
        throw error;
      }
    });
  }
}

function notNow(what: string): never {
  throw new Refusal({
    code: 'owner.closing',
    message: `${what} is not there at this moment: it is being replaced, or the owner ends.`,
    hint: 'Ask again in a moment.',
  });
}
