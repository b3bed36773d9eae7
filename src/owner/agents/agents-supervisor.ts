/**
 * The long-lived agents as a tree of supervisors: one for each project, below it what the project has
 * declared, and a pool for the rest. Failure climbs by OTP's rules as far as the project and no further:
 * agents that fail, however often, never take the owner with them.
 */
import { describeError, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { Supervisor } from '../../supervision/index.ts';
import type { AgentPorts } from './agent-child.ts';
import { lastSegment, parentPath, supervisorPath, placeFromPath } from './supervisor-paths.ts';
import type { SupervisorMapPorts } from './supervisor-map.ts';
import { SupervisorMap, ignoringPresent, WIDE_LIMITS } from './supervisor-map.ts';
import type { AgentRecord, AgentRegistry } from './agent-registry.ts';
import { retryWhileDiskFull } from '../../base/retry-while-disk-full.ts';

export type AgentsSupervisorPorts = Pick<SupervisorMapPorts, 'clock' | 'luck' | 'kept'> & {
  readonly book: AgentRegistry;
  readonly signal: AgentPorts['signal'];
  /** By the place of a supervisor from the top; empty: the top. */
  readonly observe: SupervisorMapPorts['observe'];
  readonly log: (line: string) => void;
};

export class AgentsSupervisor {
  readonly #ports: AgentsSupervisorPorts;
  readonly #supervisors: SupervisorMap;
  /** Those that were begun, or taken up, by this branch. */
  readonly #begun = new Set<RunId>();
  readonly #leaving = new AbortController();
  #unwatch: () => void = () => undefined;
  #top: Supervisor | undefined;

  private constructor(given: AgentsSupervisorPorts) {
    // An agent that could not be begun, or told that it is spent, would be left where it is.
    const signal: AgentsSupervisorPorts['signal'] = (run, said) =>
      retryWhileDiskFull(given.clock, this.#leaving.signal, () => given.signal(run, said));
    this.#ports = { ...given, signal };
    const { clock, luck, kept, book, log, observe } = given;
    this.#supervisors = new SupervisorMap({
      clock,
      luck,
      kept,
      observe,
      child: {
        book,
        signal,
        log,
        flushed: () => kept.flushed(),
        isFirst: (run) => !this.#begun.has(run) && this.#begun.add(run).has(run),
        isLeaving: () => this.#leaving.signal.aborted,
      },
      onSpent: (supervisor, child) => this.#spent(supervisor, child),
    });
  }

  /** Takes up every agent that lives, each under its supervisor. */
  static async start(ports: AgentsSupervisorPorts, signal: AbortSignal): Promise<AgentsSupervisor> {
    const branch = new AgentsSupervisor(ports);
    signal.addEventListener('abort', () => branch.#leaving.abort());
    const { clock, luck, kept, book, observe } = ports;
    const projects = new Set([...kept.projects, ...book.all().map(({ project }) => project)]);
    branch.#top = await Supervisor.start(
      {
        intensity: WIDE_LIMITS,
        children: [...projects].map((project) => branch.#supervisors.ofProject(project)),
      },
      { clock, luck, observe: observe('', 'one-for-one') },
      signal,
    );
    branch.#unwatch = book.watch((now, before) => branch.#look(now, before));
    for (const record of book.living()) branch.#greet(record);
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
    for (const place of this.#ports.kept.places(project))
      if (place.type === 'supervisor')
        await this.#supervisors.add(project, parentPath(place.path), { kind: 'supervisor', place });
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
    } else if (before === undefined) this.#greet(now);
    else if (wantsLife && !before.standing.wantsLife)
      void this.#safely(now, () => this.#bringBack(now));
  }

  /** Somebody new, or somebody who was there before us. */
  #greet(record: AgentRecord): void {
    const { run, settings, standing } = record;
    const { parent } = settings;
    if (parent !== null && this.#ports.book.get(parent as RunId)?.standing.over !== false)
      void this.#safely(record, () => this.#letGo(record, 'its parent is over'));
    else if (!this.#begun.has(run)) void this.#safely(record, () => this.#adopt(record));
    else if (standing.wantsLife) void this.#safely(record, () => this.#bringBack(record));
  }

  async #adopt(record: AgentRecord): Promise<void> {
    await this.#ensureProject(record.project);
    const path = this.#pathOf(record);
    const added = await this.#supervisors.add(record.project, path, { kind: 'agent', record });
    if (added) return;
    const because = `its supervisor ${path} is down`;
    await this.#ports.signal(record.run, { kind: 'spent', because });
  }

  /** A person, or a message, wants it back: begun by its supervisor, or with it where that has given up. */
  async #bringBack(record: AgentRecord): Promise<void> {
    const { project, run } = record;
    const path = this.#pathOf(record);
    const supervisor = this.#supervisors.at(project, path);
    if (supervisor === undefined) {
      await this.#supervisors.at(project, parentPath(path))?.restartChild(lastSegment(path));
      return;
    }
    try {
      await supervisor.restartChild(run);
    } catch (error) {
      if (isRefusal(error, 'child.running') || isRefusal(error, 'child.restarting')) return;
      if (!isRefusal(error, 'child.not-found')) throw error;
      await this.#adopt(record);
    }
  }

  /** It is over: out of its supervisor's hands, and its children with it, the youngest first. */
  async #takeOut(record: AgentRecord): Promise<void> {
    const { project, run, settings } = record;
    const { book } = this.#ports;
    const supervisor = this.#supervisors.at(project, this.#pathOf(record));
    try {
      await supervisor?.terminateChild(run);
      await supervisor?.deleteChild(run);
    } catch (error) {
      if (!isRefusal(error)) throw error; // it was not there any more
    }
    this.#begun.delete(run);
    const children = book.living().filter((one) => one.settings.parent === run);
    // Each by itself: one that has ended by now must not keep the others.
    for (const child of children.toReversed())
      await this.#safely(child, () => this.#letGo(child, `its parent ${settings.name} is over`));
  }

  async #letGo({ run, settings }: AgentRecord, because: string): Promise<void> {
    this.#ports.log(`agent ${settings.name} (${run}) is dismissed: ${because}`);
    await this.#ports.signal(run, { kind: 'dismiss', because });
  }

  /** An agent that stays down, or all agents of a supervisor that does. */
  #spent(supervisor: string, child: string): void {
    const { book } = this.#ports;
    const own = book.get(child as RunId);
    const below = `${supervisor}/${child}`;
    const lost = book.living().filter((record) => {
      const place = placeFromPath(record.project, this.#pathOf(record));
      return place === below || place.startsWith(`${below}/`);
    });
    const why = own === undefined ? () => `its supervisor ${child} gave up` : whyOf;
    for (const record of own === undefined ? lost : [own])
      void this.#safely(record, () => this.#tellSpent(record, why));
  }

  /** One that could not be stopped in time is told once its life has ended: before that it would not hear it. */
  async #tellSpent(
    { run, standing: { life } }: AgentRecord,
    why: (record: AgentRecord) => string,
  ): Promise<void> {
    const isDown = ({ standing }: AgentRecord): boolean =>
      standing.life === 0 || standing.exit !== null || standing.over || standing.life > life;
    const record = await this.#ports.book.until(run, isDown, this.#leaving.signal);
    if (record === undefined || record.standing.over || record.standing.life > life) return;
    await this.#ports.signal(run, { kind: 'spent', because: why(record) });
  }

  async #safely(record: AgentRecord, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#leaving.signal.aborted || isRefusal(error, 'run.already-ended')) return;
      this.#ports.log(`agent ${record.settings.name} (${record.run}): ${describeError(error)}`);
    }
  }

  #pathOf(record: AgentRecord): string {
    return supervisorPath(record, this.#ports.kept.places(record.project));
  }

  async #ensureProject(project: string): Promise<void> {
    if (this.#supervisors.at(project, '') !== undefined) return;
    await ignoringPresent(this.#up.startChild(this.#supervisors.ofProject(project)));
  }
}

function whyOf({ settings, standing }: AgentRecord): string {
  const { restartsMax, withinMs, type } = settings.restart;
  const { exit } = standing;
  const halted = exit?.kind === 'shutdown' ? exit.detail : undefined;
  const failed = exit?.kind === 'failed' ? exit.reason : (halted ?? 'it ended');
  if (type === 'temporary') return `it is not restarted: ${failed}`;
  return `it was restarted ${restartsMax} times within ${withinMs / 1000} s: ${failed}`;
}
