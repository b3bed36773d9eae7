/**
 * The long-lived agents as a tree of supervisors: one for each project, below it what the project has
 * declared, and a pool for the rest. Failure climbs by OTP's rules as far as the project and no further:
 * agents that fail, however often, never take the owner with them.
 */
import type { Clock } from '../base/clock.ts';
import { describeError, isRefusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { Luck } from '../base/luck.ts';
import type { Signal } from '../protocol/event.ts';
import type { ChildSpec, Strategy, SupervisionEvent } from '../supervision/index.ts';
import { Supervisor, supervisorChild } from '../supervision/index.ts';
import type { AgentPorts } from './agent-child.ts';
import { agentChild } from './agent-child.ts';
import type { PlannedChild } from './agent-places.ts';
import { childrenOf, lastOf, parentPath, pathOf, POOL, projectPlace } from './agent-places.ts';
import type { AgentRecord, AgentsBook } from './agents-book.ts';
import type { KeptTree } from './kept-tree.ts';

export type BranchPorts = {
  readonly clock: Clock;
  readonly luck: Luck;
  readonly book: AgentsBook;
  readonly kept: KeptTree;
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
  /** Where the picture of one supervisor goes, by its place from the top; empty: the top. */
  readonly observe: (place: string, strategy: Strategy) => (event: SupervisionEvent) => void;
  readonly log: (line: string) => void;
};

type Start = { readonly project: string; readonly path: string; readonly strategy: Strategy };

/** The same fault in very many agents is a fault of what they stand on. */
const WIDE = { restartsMax: 1000, withinMs: 60_000 };
/** So often a declared supervisor begins anew before it stays down. */
const TEAM = { restartsMax: 3, withinMs: 600_000, whenFull: 'leave' } as const;
const BACKOFF = { baseMs: 1000, maxMs: 60_000 };

export class AgentsBranch {
  readonly #ports: BranchPorts;
  readonly #child: AgentPorts;
  /** By place, those that are up. */
  readonly #supervisors = new Map<string, Supervisor>();
  /** Places that were up before in this owner: they begin anew then. */
  readonly #seen = new Set<string>();
  readonly #begun = new Set<RunId>();
  readonly #leaving = new AbortController();
  #unwatch: () => void = () => undefined;
  #top: Supervisor | undefined;

  private constructor(ports: BranchPorts) {
    this.#ports = ports;
    this.#child = {
      book: ports.book,
      signal: ports.signal,
      log: ports.log,
      flushed: () => ports.kept.flushed(),
      isFirst: (run) => !this.#begun.has(run) && this.#begun.add(run).has(run),
      isLeaving: () => this.#leaving.signal.aborted,
    };
  }

  /** Takes up every agent that lives, each under its supervisor. */
  static async start(ports: BranchPorts, signal: AbortSignal): Promise<AgentsBranch> {
    const branch = new AgentsBranch(ports);
    signal.addEventListener('abort', () => branch.#leaving.abort());
    const projects = new Set([
      ...ports.kept.projects,
      ...ports.book.living().map(({ project }) => project),
    ]);
    const { clock, luck } = ports;
    branch.#top = await Supervisor.start(
      {
        intensity: WIDE,
        children: [...projects].map((project) => branch.#projectChild(project)),
      },
      { clock, luck, observe: ports.observe('', 'one-for-one') },
      signal,
    );
    branch.#unwatch = ports.book.watch((now, before) => branch.#look(now, before));
    for (const record of ports.book.living()) branch.#look(record, undefined);
    return branch;
  }

  get ended(): Supervisor['ended'] {
    return this.#up.ended;
  }

  /** Nobody is told anything: the next owner takes them up as they are. */
  stop(): ReturnType<Supervisor['stop']> {
    this.#leave();
    return this.#up.stop();
  }

  kill(): ReturnType<Supervisor['kill']> {
    this.#leave();
    return this.#up.kill();
  }

  /** The supervisors that a project has declared since are there then. */
  async declare(project: string): Promise<void> {
    await this.#ensureProject(project);
    const { kept } = this.#ports;
    for (const place of kept.places(project))
      if (place.type === 'supervisor')
        await this.#add(project, parentPath(place.path), { kind: 'supervisor', place });
  }

  get #up(): Supervisor {
    if (this.#top === undefined) throw new Error('the agents are not up');
    return this.#top;
  }

  #leave(): void {
    this.#leaving.abort();
    this.#unwatch();
  }

  #look(now: AgentRecord, before: AgentRecord | undefined): void {
    if (this.#leaving.signal.aborted) return;
    const { over, wantsLife } = now.standing;
    if (over) {
      if (before?.standing.over === false) void this.#safely(now, () => this.#takeOut(now));
      return;
    }
    const { parent } = now.settings;
    if (before === undefined && parent !== null && !this.#lives(parent as RunId))
      void this.#safely(now, () => this.#orphaned(now));
    if (before === undefined) void this.#safely(now, () => this.#adopt(now));
    else if (wantsLife && !before.standing.wantsLife)
      void this.#safely(now, () => this.#bringBack(now));
  }

  #lives(run: RunId): boolean {
    return this.#ports.book.get(run)?.standing.over === false;
  }

  async #adopt(record: AgentRecord): Promise<void> {
    const { project } = record;
    await this.#ensureProject(project);
    await this.#add(project, this.#pathOf(record), { kind: 'agent', record });
    if (record.standing.wantsLife) await this.#bringBack(record);
  }

  /** A person, or a message, wants it back: begun by its supervisor, or with it where that has given up. */
  async #bringBack(record: AgentRecord): Promise<void> {
    const { project, run } = record;
    const path = this.#pathOf(record);
    const supervisor = this.#supervisors.get(place(project, path));
    if (supervisor === undefined) {
      const above = this.#supervisors.get(place(project, parentPath(path)));
      await above?.restartChild(lastOf(path));
      return;
    }
    try {
      await supervisor.restartChild(run);
    } catch (error) {
      if (isRefusal(error, 'child.running') || isRefusal(error, 'child.restarting')) return;
      if (!isRefusal(error, 'child.not-found')) throw error;
      await this.#add(project, path, { kind: 'agent', record });
    }
  }

  /** It is over: out of its supervisor's hands, and its children with it, the youngest first. */
  async #takeOut(record: AgentRecord): Promise<void> {
    const { project, run, settings } = record;
    const { book, kept, signal, log } = this.#ports;
    const at = place(project, this.#pathOf(record));
    const supervisor = this.#supervisors.get(at);
    try {
      await supervisor?.terminateChild(run);
      await supervisor?.deleteChild(run);
    } catch (error) {
      if (!isRefusal(error)) throw error; // it was not there any more
    }
    kept.forget(at, run);
    const children = book.living().filter((one) => one.settings.parent === run);
    for (const child of children.toReversed()) {
      log(`agent ${child.settings.name} is dismissed: its parent ${settings.name} is over`);
      await signal(child.run, { kind: 'dismiss', because: `its parent ${settings.name} is over` });
    }
  }

  /** Its parent was over before anybody could tell it so. */
  async #orphaned({ run, settings }: AgentRecord): Promise<void> {
    this.#ports.log(`agent ${settings.name} is dismissed: its parent is over`);
    await this.#ports.signal(run, { kind: 'dismiss', because: 'its parent is over' });
  }

  async #safely(record: AgentRecord, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#leaving.signal.aborted) return;
      this.#ports.log(`agent ${record.settings.name} (${record.run}): ${describeError(error)}`);
    }
  }

  #pathOf(record: AgentRecord): string {
    return pathOf(record, this.#ports.kept.places(record.project));
  }

  async #ensureProject(project: string): Promise<void> {
    if (this.#supervisors.has(projectPlace(project))) return;
    await ignoringPresent(this.#up.startChild(this.#projectChild(project)));
  }

  /** Adds one child to a supervisor that is up; one that it has already stays as it is. */
  async #add(project: string, path: string, child: PlannedChild): Promise<void> {
    const supervisor = this.#supervisors.get(place(project, path));
    if (supervisor !== undefined) {
      await ignoringPresent(supervisor.startChild(this.#spec(project, path, child)));
    } else if (child.kind === 'agent') {
      const because = `its supervisor ${path} is down`;
      await this.#ports.signal(child.record.run, { kind: 'spent', because });
    }
  }

  #projectChild(project: string): ChildSpec {
    const start: Start = { project, path: '', strategy: 'one-for-one' };
    return supervisorChild(
      { id: projectPlace(project), intensity: TEAM, backoff: BACKOFF },
      (signal) => this.#startSupervisor(start, WIDE, signal),
    );
  }

  #spec(project: string, path: string, child: PlannedChild): ChildSpec {
    if (child.kind === 'agent')
      return agentChild(child.record, path !== '' && path !== POOL, this.#child);
    if (child.kind === 'pool') {
      const start: Start = { project, path: POOL, strategy: 'one-for-one' };
      return supervisorChild({ id: POOL, intensity: TEAM, backoff: BACKOFF }, (signal) =>
        this.#startSupervisor(start, WIDE, signal),
      );
    }
    const { path: below, strategy, restartsMax, withinMs } = child.place;
    // Below another it counts there, as in OTP; at the top its own failures concern nobody else.
    const own = path === '' ? { intensity: TEAM } : {};
    return supervisorChild({ id: lastOf(below), backoff: BACKOFF, ...own }, (signal) =>
      this.#startSupervisor(
        { project, path: below, strategy },
        { restartsMax, withinMs },
        signal,
      ),
    );
  }

  async #startSupervisor(
    { project, path, strategy }: Start,
    intensity: { readonly restartsMax: number; readonly withinMs: number },
    signal: AbortSignal,
  ): Promise<Supervisor> {
    const { clock, luck, kept, book, observe } = this.#ports;
    const at = place(project, path);
    if (this.#seen.has(at)) await kept.beginAnew(at);
    this.#seen.add(at);
    const living = book.living().filter((record) => record.project === project);
    const children = childrenOf(path, kept.places(project), living);
    const tell = observe(at, strategy);
    const supervisor = await Supervisor.start(
      {
        strategy,
        intensity,
        history: kept.historyOf(at),
        children: children.map((child) => this.#spec(project, path, child)),
      },
      {
        clock,
        luck,
        observe: (event) => {
          tell(event);
          this.#hear(at, event);
        },
      },
      signal,
    );
    this.#supervisors.set(at, supervisor);
    void supervisor.ended.then(() => {
      if (this.#supervisors.get(at) === supervisor) this.#supervisors.delete(at);
    });
    return supervisor;
  }

  #hear(at: string, event: SupervisionEvent): void {
    const { kept, book } = this.#ports;
    if (event.kind === 'restarting') {
      const before = kept.historyOf(at).children[event.id] ?? { restarts: [], streak: 0 };
      const { restarts, streak } = this.#supervisors.get(at)?.history.children[event.id] ?? {
        restarts: [...before.restarts, event.at],
        streak: before.streak + 1,
      };
      const counted = { restarts: [...restarts], streak };
      kept.restarting({ supervisor: at, child: event.id, at: event.at, ...counted });
    }
    if (event.kind === 'gave-up') this.#spent(at, event.id);
    const record = event.kind === 'exited' ? book.get(event.id as RunId) : undefined;
    if (record?.settings.restart.type === 'temporary' && record.standing.exit?.kind === 'failed')
      this.#spent(at, event.id);
  }

  /** An agent that stays down, or all agents of a supervisor that does. */
  #spent(at: string, id: string): void {
    const { book, signal } = this.#ports;
    const own = book.get(id as RunId);
    const below = `${at}/${id}`;
    const lost = book.living().filter((record) => {
      const where = place(record.project, this.#pathOf(record));
      return where === below || where.startsWith(`${below}/`);
    });
    const because = own === undefined ? `its supervisor ${id} gave up` : whyOf(own);
    for (const record of own === undefined ? lost : [own])
      void this.#safely(record, () => signal(record.run, { kind: 'spent', because }));
  }
}

function place(project: string, path: string): string {
  return path === '' ? projectPlace(project) : `${projectPlace(project)}/${path}`;
}

function whyOf({ settings, standing }: AgentRecord): string {
  const { restartsMax, withinMs, type } = settings.restart;
  const failed = standing.exit?.kind === 'failed' ? standing.exit.reason : 'it ended';
  if (type === 'temporary') return `it is not restarted: ${failed}`;
  return `it was restarted ${restartsMax} times within ${withinMs / 1000} s: ${failed}`;
}

async function ignoringPresent(started: Promise<unknown>): Promise<void> {
  try {
    await started;
  } catch (error) {
    const isThere =
      isRefusal(error, 'child.already-started') || isRefusal(error, 'child.already-present');
    if (!isThere) throw error;
  }
}
