/** The parts that the owner's tree is made of, as they are now: each may have been replaced by another of its kind. */
import { attemptsProgram } from '../attempts/attempts-program.ts';
import { CooldownBook } from '../attempts/cooldown-book.ts';
import { Refusal, describeError } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { Loaded } from '../config/load.ts';
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts';
import { Reaper } from '../host/reaper.ts';
import { lifeProgram } from '../lifecycle/life-program.ts';
import { OWNER_STREAM } from '../protocol/event.ts';
import { homeLost } from '../store/refusals.ts';
import { isFileFault } from '../store/sqlite/errors.ts';
import type { ChildSpec, StartResult, SupervisionEvent, Supervisor } from '../supervision/index.ts';
import { AgentsPart } from './agents-part.ts';
import { cleanupChild } from './cleanup.ts';
import { Deeds } from './deeds.ts';
import { Defects } from './defects.ts';
import { siblingsOf } from './gangs.ts';
import type { OwnerOptions } from './owner-options.ts';
import type { Branch } from './owner-tree.ts';
import { startTree } from './owner-tree.ts';
import { monitorsOf } from './monitors.ts';
import { noticesChild } from './notices-child.ts';
import { Part } from './part.ts';
import { Pauses } from './pauses.ts';
import { signalRun } from './people.ts';
import { performersOf } from './performers.ts';
import type { Ground } from './places.ts';
import { gatewaysOf } from './places.ts';
import { RunsBranch } from './runs-branch.ts';
import { StateHold, tagOfOwner } from './state-hold.ts';
import type { Stories } from './stories.ts';
import { limitsOf } from './submission.ts';
import { sweepPlaces } from './sweep-places.ts';
import { TreeBook } from './tree-book.ts';
import { WatchBook } from './watch-book.ts';
import type { Work } from './work.ts';

export type PartsPorts = {
  readonly ground: Ground;
  readonly work: Work;
  readonly stories: Stories;
  readonly settings: () => Promise<Loaded>;
  /** Why it is let go of, for the last word in the journal. */
  readonly reason: () => string;
};

const RUNS_MAX = 100_000;
const HISTORY_PAGE = 1000;

export class OwnerParts {
  readonly book: TreeBook;
  readonly defects = new Defects();
  readonly pauses = new Pauses();
  /** What agents are seen doing, for whoever watches over them. */
  readonly deeds = new Deeds();
  readonly agents: AgentsPart;
  readonly #options: OwnerOptions;
  readonly #ports: PartsPorts;
  #hold: StateHold | undefined;
  #lostHome: string | undefined;
  #store: Part | undefined;
  #engine: EmbeddedEngine | undefined;
  #cooldowns: CooldownBook | undefined;
  #watches: WatchBook | undefined;
  #runs: RunsBranch | undefined;
  /** The first thing that could not be let go of as it should. */
  #left: { readonly error: unknown } | undefined;

  constructor(options: OwnerOptions, ports: PartsPorts) {
    this.#options = options;
    this.#ports = ports;
    this.book = new TreeBook(options.clock);
    this.agents = new AgentsPart(options, {
      tree: this.book,
      ground: ports.ground,
      engine: () => this.engine,
      signal: (run, signal, request) => signalRun(this.engine, this.pauses, run, signal, request),
    });
  }

  start(branches: readonly Branch[]): Promise<Supervisor> {
    const ground = {
      store: () => this.#startStore(),
      reaper: () => this.#startReaper(),
      engine: () => this.#startEngine(),
      runs: (observe: (event: SupervisionEvent) => void, signal: AbortSignal) =>
        this.#startRuns(observe, signal),
    };
    const monitors: Branch = { id: 'monitors', children: [this.#cleanup(), ...this.#watchers()] };
    const telling = noticesChild(this.#options, () => this.hold.journal, this.#ports.stories);
    const notices: Branch = { id: 'notices', children: [telling] };
    return startTree(this.#options.clock, this.book, ground, [
      this.agents.branch(),
      monitors,
      notices,
      ...branches,
    ]);
  }

  /** Refuses while it is being replaced, or is gone. */
  get hold(): StateHold {
    return this.#hold ?? notNow('The journal');
  }

  get engine(): EmbeddedEngine {
    return this.#engine ?? notNow('The engine');
  }

  get cooldowns(): CooldownBook {
    return this.#cooldowns ?? notNow('The book of cooldowns');
  }

  busy(): ReturnType<EmbeddedEngine['busy']> {
    return this.#engine?.busy() ?? { runs: 0, commands: 0 };
  }

  throwIfLeft(): void {
    if (this.#left !== undefined) throw this.#left.error;
  }

  #watchers(): readonly ChildSpec[] {
    return monitorsOf(this.#options, {
      deeds: this.deeds,
      agents: this.agents.watched(),
      watches: () => this.#watches ?? notNow('What the monitors remember'),
      note: (monitor, words) => this.book.note(`owner/branches/monitors/${monitor}`, words),
    });
  }

  #cleanup(): ChildSpec {
    const { clock, home, log } = this.#options;
    return cleanupChild({
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
    const hold = await StateHold.take(this.#options);
    this.#hold = hold;
    this.#store = this.#part(async () => {
      this.#hold = undefined;
      await hold.release(this.#ports.reason());
    });
    return { kind: 'started', child: this.#store };
  }

  /** Without a shell there is none, and nobody else is the worse for it. */
  async #startReaper(): Promise<StartResult> {
    const reaper = new Reaper(tagOfOwner(this.#options));
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
    await sweepPlaces(this.#options, settings.sandbox).catch((error: unknown) =>
      log(`something of an earlier owner is left: ${describeError(error)}`),
    );
    const cooldowns = await CooldownBook.open({ journal: hold.journal, clock });
    const watches = await WatchBook.open({ journal: hold.journal, clock });
    const { purses } = await this.agents.open(hold.journal);
    const gateways = gatewaysOf(this.#options);
    const engine = await EmbeddedEngine.open({
      journal: hold.journal,
      clock,
      luck,
      programs: [attemptsProgram, lifeProgram],
      performers: performersOf(this.#options, hold, {
        ground: this.#ports.ground,
        cooldowns,
        pauses: this.pauses,
        purses,
        gateways,
        signal: (run, signal) => this.engine.signal(run, signal),
        siblingsOf: (run) => siblingsOf(run, this.agents.watched()),
        onDeed: this.deeds.tell,
      }),
      limits: limitsOf(settings),
      onDriven: (run) => void this.#runs?.adopt(run),
      onBroken: (run, error) => {
        log(`run ${run} broke: ${describeError(error)}`);
        if (isFileFault(error)) this.#store?.fail(describeError(error));
      },
      onDefect: (run, error) => this.#stuck(run, describeError(error)),
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
  ): Promise<RunsBranch> {
    const { engine } = this;
    const { clock } = this.#options;
    const onStuck = (run: RunId, why: string): void => this.#stuck(run, why);
    const runs = await RunsBranch.start({ clock, engine, observe, onStuck }, signal);
    this.#runs = runs;
    const stuck = new Set<string>(this.defects.list().map(({ run }) => run));
    const open = await engine.list({ ended: false, limit: RUNS_MAX });
    for (const { id } of open.toReversed()) if (!stuck.has(id)) await runs.adopt(id as RunId);
    return runs;
  }

  #stuck(run: RunId, why: string): void {
    this.defects.add(run, why);
    this.#options.log(`run ${run} can't go on: ${why}`);
  }

  /** A part whose close can't fail unheard. */
  #part(close: () => Promise<void>): Part {
    return new Part(async () => {
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
