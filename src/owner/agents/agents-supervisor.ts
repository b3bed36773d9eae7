/**
 * Supervises the long-lived agents: one supervisor for each project, below it the supervisors that
 * the project declares, and a pool for all other agents. Failures escalate by the rules of OTP up
 * to the project and no further. Agents that fail never take down the owner.
 */
import { plural } from '../../base/text.ts';
import { describeError, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { Supervisor } from '../../supervision/index.ts';
import type { AgentPorts } from './agent-child.ts';
import { lastSegment, parentPath, supervisorPath, treePath } from './supervisor-paths.ts';
import type { SupervisorMapPorts } from './supervisor-map.ts';
import { SupervisorMap, ignoringPresent, WIDE_LIMITS } from './supervisor-map.ts';
import type { AgentRecord, AgentRegistry } from './agent-registry.ts';
import { retryWhileDiskFull } from '../../base/retry-while-disk-full.ts';

export type AgentsSupervisorPorts = Pick<SupervisorMapPorts, 'clock' | 'random' | 'treeJournal'> & {
  readonly registry: AgentRegistry;
  readonly signal: AgentPorts['signal'];
  /** By the path of a supervisor in the tree. Empty means the top supervisor. */
  readonly observe: SupervisorMapPorts['observe'];
  readonly log: (line: string) => void;
};

export class AgentsSupervisor {
  readonly #ports: AgentsSupervisorPorts;
  readonly #supervisors: SupervisorMap;
  /** Agents that this supervisor has started or resumed. */
  readonly #adopted = new Set<RunId>();
  readonly #closing = new AbortController();
  #unwatch: () => void = () => undefined;
  #top: Supervisor | undefined;

  private constructor(ports: AgentsSupervisorPorts) {
    // A signal that is lost on a full disk would leave an agent not started or exhausted without
    // notice, so it is sent again.
    const signal: AgentsSupervisorPorts['signal'] = (run, message) =>
      retryWhileDiskFull(ports.clock, this.#closing.signal, () => ports.signal(run, message));
    this.#ports = { ...ports, signal };
    const { clock, random, treeJournal, registry, log, observe } = ports;
    this.#supervisors = new SupervisorMap({
      clock,
      random,
      treeJournal,
      observe,
      child: {
        registry,
        signal,
        log,
        flushed: () => treeJournal.flushed(),
        isFirst: (run) => !this.#adopted.has(run) && this.#adopted.add(run).has(run),
        isClosing: () => this.#closing.signal.aborted,
      },
      onExhausted: (supervisor, child) => this.#onExhausted(supervisor, child),
    });
  }

  /** Resumes every agent that has not ended, each under its supervisor. */
  static async start(ports: AgentsSupervisorPorts, signal: AbortSignal): Promise<AgentsSupervisor> {
    const agents = new AgentsSupervisor(ports);
    signal.addEventListener('abort', () => agents.#closing.abort());
    const { clock, random, treeJournal, registry, observe } = ports;
    const projects = new Set([
      ...treeJournal.projects,
      ...registry.all().map(({ project }) => project),
    ]);
    agents.#top = await Supervisor.start(
      {
        intensity: WIDE_LIMITS,
        children: [...projects].map((project) => agents.#supervisors.projectSupervisor(project)),
      },
      { clock, random, observe: observe('', 'one-for-one') },
      signal,
    );
    agents.#unwatch = registry.watch((current, previous) => agents.#onChange(current, previous));
    for (const record of registry.living()) agents.#admit(record);
    return agents;
  }

  get ended(): Supervisor['ended'] {
    return this.#topSupervisor.ended;
  }

  /** Sends no signals to agents. The next owner resumes them from the journal. */
  stop(): ReturnType<Supervisor['stop']> {
    this.#close();
    return this.#topSupervisor.stop();
  }

  kill(): ReturnType<Supervisor['kill']> {
    this.#close();
    return this.#topSupervisor.kill();
  }

  /** Starts the supervisors that a project has declared since. */
  async declare(project: string): Promise<void> {
    await this.#ensureProject(project);
    for (const place of this.#ports.treeJournal.places(project))
      if (place.type === 'supervisor')
        await this.#supervisors.add(project, parentPath(place.path), { kind: 'supervisor', place });
  }

  get #topSupervisor(): Supervisor {
    if (this.#top === undefined) throw new Error('the agents are not started');
    return this.#top;
  }

  #close(): void {
    this.#closing.abort();
    this.#unwatch();
  }

  #onChange(current: AgentRecord, previous: AgentRecord | undefined): void {
    if (this.#closing.signal.aborted) return;
    const { isOver, restartRequested } = current.status;
    if (isOver) {
      if (previous?.status.isOver === false)
        void this.#logErrors(current, () => this.#remove(current));
    } else if (previous === undefined) this.#admit(current);
    else if (restartRequested && !previous.status.restartRequested)
      void this.#logErrors(current, () => this.#restart(current));
  }

  /**
   * Starts a new agent, or resumes one of an earlier owner. Dismisses it if its parent has ended.
   */
  #admit(record: AgentRecord): void {
    const { run, settings, status } = record;
    const { parent } = settings;
    if (parent !== null && this.#ports.registry.get(parent as RunId)?.status.isOver !== false)
      void this.#logErrors(record, () => this.#dismiss(record, 'its parent has ended'));
    else if (!this.#adopted.has(run)) void this.#logErrors(record, () => this.#adopt(record));
    else if (status.restartRequested) void this.#logErrors(record, () => this.#restart(record));
  }

  async #adopt(record: AgentRecord): Promise<void> {
    await this.#ensureProject(record.project);
    const path = this.#supervisorPath(record);
    const added = await this.#supervisors.add(record.project, path, { kind: 'agent', record });
    if (added) return;
    const because = `its supervisor ${path} is down`;
    await this.#ports.signal(record.run, { kind: 'restarts-exhausted', because });
  }

  /**
   * Restarts an agent because a person or a message asks for it. If its supervisor is down,
   * restarts that one.
   */
  async #restart(record: AgentRecord): Promise<void> {
    const { project, run } = record;
    const path = this.#supervisorPath(record);
    const supervisor = this.#supervisors.find(project, path);
    if (supervisor === undefined) {
      await this.#supervisors.find(project, parentPath(path))?.restartChild(lastSegment(path));
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

  /** Removes an ended agent from its supervisor and dismisses its children, the youngest first. */
  async #remove(record: AgentRecord): Promise<void> {
    const { project, run, settings } = record;
    const { registry } = this.#ports;
    const supervisor = this.#supervisors.find(project, this.#supervisorPath(record));
    try {
      await supervisor?.terminateChild(run);
      await supervisor?.deleteChild(run);
    } catch (error) {
      if (!isRefusal(error)) throw error; // the supervisor does not have it any more
    }
    this.#adopted.delete(run);
    const children = registry.living().filter((one) => one.settings.parent === run);
    // Each child is dismissed separately: a refusal for one must not stop the others.
    for (const child of children.toReversed())
      await this.#logErrors(child, () =>
        this.#dismiss(child, `its parent ${settings.name} has ended`),
      );
  }

  async #dismiss({ run, settings }: AgentRecord, because: string): Promise<void> {
    this.#ports.log(`agent ${settings.name} (${run}) is dismissed: ${because}`);
    await this.#ports.signal(run, { kind: 'dismiss', because });
  }

  /**
   * Reports that an agent has no restarts left, or that all agents below a supervisor that gave up
   * have none.
   */
  #onExhausted(supervisor: string, child: string): void {
    const { registry } = this.#ports;
    const agent = registry.get(child as RunId);
    const below = `${supervisor}/${child}`;
    const affected = registry.living().filter((record) => {
      const place = treePath(record.project, this.#supervisorPath(record));
      return place === below || place.startsWith(`${below}/`);
    });
    const explain =
      agent === undefined ? () => `its supervisor ${child} gave up` : explainExhaustion;
    for (const record of agent === undefined ? affected : [agent])
      void this.#logErrors(record, () => this.#signalExhausted(record, explain));
  }

  /**
   * Waits until the life of the agent has ended, because it ignores the signal before that. A deaf
   * agent ends late.
   */
  async #signalExhausted(
    { run, status: { life } }: AgentRecord,
    explain: (record: AgentRecord) => string,
  ): Promise<void> {
    const isDown = ({ status }: AgentRecord): boolean =>
      status.life === 0 || status.exit !== null || status.isOver || status.life > life;
    const record = await this.#ports.registry.until(run, isDown, this.#closing.signal);
    if (record === undefined || record.status.isOver || record.status.life > life) return;
    await this.#ports.signal(run, { kind: 'restarts-exhausted', because: explain(record) });
  }

  async #logErrors(record: AgentRecord, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#closing.signal.aborted || isRefusal(error, 'run.already-ended')) return;
      this.#ports.log(`agent ${record.settings.name} (${record.run}): ${describeError(error)}`);
    }
  }

  #supervisorPath(record: AgentRecord): string {
    return supervisorPath(record, this.#ports.treeJournal.places(record.project));
  }

  async #ensureProject(project: string): Promise<void> {
    if (this.#supervisors.find(project, '') !== undefined) return;
    await ignoringPresent(
      this.#topSupervisor.startChild(this.#supervisors.projectSupervisor(project)),
    );
  }
}

function explainExhaustion({ settings, status }: AgentRecord): string {
  const { restartsMax, withinMs, type } = settings.restart;
  const { exit } = status;
  const halted = exit?.kind === 'shutdown' ? exit.detail : undefined;
  const failed = exit?.kind === 'failed' ? exit.reason : (halted ?? 'it ended');
  if (type === 'temporary') return `it is not restarted: ${failed}`;
  return `it was restarted ${plural(restartsMax, 'time')} within ${withinMs / 1000} s: ${failed}`;
}
