/**
 * A supervisor by OTP's rules: it starts its children in order, restarts those that end as their
 * specs say, stops them in reverse, and gives up when they end too often. One message at a time; a
 * restart that fails is a message to itself, so that others, a stop above all, get in between.
 */
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import { problemWithChild, problemWithSupervisor } from './check-spec.ts';
import type { ChildSpec, StartResult } from './child.ts';
import { restartOf, shutdownOf } from './child.ts';
import { afterExit } from './decide.ts';
import type { Exit } from './exit.ts';
import { Life, stopTogether } from './life.ts';
import { Mailbox } from './mailbox.ts';
import { refuseChild, refuseEnded, refuseSpec, refuseStart } from './refusals.ts';
import { RestartWindow } from './restart-window.ts';
import { restartedWith } from './strategy.ts';
import type {
  ChildCounts,
  ChildView,
  Standing,
  SupervisionEvent,
  SupervisorEnd,
  SupervisorSpec,
} from './supervisor-spec.ts';
import { DEFAULT_INTENSITY } from './supervisor-spec.ts';
import { unlessAborted } from './unless-aborted.ts';

export type SupervisorPorts = {
  readonly clock: Clock;
  /** Told of everything, at once and in order; must not throw. */
  readonly observe?: (event: SupervisionEvent) => void;
};

type Message = { readonly run: () => Promise<void>; readonly refuse?: () => void };

/** `life` is there exactly while it is running. */
type Member = {
  readonly spec: ChildSpec;
  readonly standing: Standing;
  readonly life?: Life;
};

const SHUTDOWN: Exit = { kind: 'shutdown' };

export class Supervisor {
  readonly #spec: SupervisorSpec;
  readonly #clock: Clock;
  readonly #observe: (event: SupervisionEvent) => void;
  /** By id, in start order, which is the order of insertion. */
  readonly #members = new Map<string, Member>();
  readonly #window: RestartWindow;
  readonly #mailbox: Mailbox<Message>;
  readonly #killed = new AbortController();
  readonly #ended = Promise.withResolvers<SupervisorEnd>();
  #isOver = false;

  private constructor(spec: SupervisorSpec, { clock, observe }: SupervisorPorts) {
    this.#spec = spec;
    this.#clock = clock;
    this.#observe = observe ?? (() => undefined);
    this.#window = new RestartWindow(spec.intensity ?? DEFAULT_INTENSITY);
    this.#mailbox = new Mailbox(async ({ run }) => {
      await run();
      if (this.#isOver) for (const { refuse } of this.#mailbox.close()) refuse?.();
    });
  }

  /** Resolves once all children are up. When one can't be, those before it are stopped and the start is refused. */
  static async start(spec: SupervisorSpec, ports: SupervisorPorts): Promise<Supervisor> {
    const problem = problemWithSupervisor(spec);
    if (problem !== undefined) throw refuseSpec(problem);
    const supervisor = new Supervisor(spec, ports);
    await supervisor.#call(() => supervisor.#startAll(spec.children ?? []));
    return supervisor;
  }

  /** Resolves when it has ended and its children with it; never rejects. */
  get ended(): Promise<SupervisorEnd> {
    return this.#ended.promise;
  }

  startChild(spec: ChildSpec): Promise<'started' | 'ignored'> {
    return this.#call(async () => {
      const problem = problemWithChild(spec, this.#spec.autoShutdown ?? 'never');
      if (problem !== undefined) throw refuseChild('child.invalid', spec.id, problem);
      const present = this.#members.get(spec.id);
      if (present?.standing === 'running') throw refuseChild('child.already-started', spec.id);
      if (present !== undefined) throw refuseChild('child.already-present', spec.id);
      const result = await this.#start(spec);
      if (result.kind === 'failed') throw refuseChild('child.start-failed', spec.id, result.reason);
      return result.kind;
    });
  }

  /** Stops it and keeps its spec, unless it is temporary. Ends a pending restart too. */
  terminateChild(id: string): Promise<void> {
    return this.#call(async () => {
      this.#present(id);
      await this.#stop(id);
    });
  }

  /** Starts a child that is down and whose spec was kept. */
  restartChild(id: string): Promise<'started' | 'ignored'> {
    return this.#call(async () => {
      const result = await this.#start(this.#absent(id));
      if (result.kind === 'failed') throw refuseChild('child.start-failed', id, result.reason);
      return result.kind;
    });
  }

  deleteChild(id: string): Promise<void> {
    return this.#call(async () => {
      this.#absent(id);
      this.#members.delete(id);
    });
  }

  /** Newest first, as OTP lists them. */
  whichChildren(): Promise<readonly ChildView[]> {
    return this.#call(async () =>
      [...this.#members.values()]
        .map(({ spec: { id, type = 'worker' }, standing }) => ({ id, standing, type }))
        .toReversed(),
    );
  }

  countChildren(): Promise<ChildCounts> {
    return this.#call(async () => {
      const members = [...this.#members.values()];
      const supervisors = members.filter(({ spec }) => spec.type === 'supervisor').length;
      return {
        specs: members.length,
        active: members.filter(({ life }) => life !== undefined && life.exit === undefined).length,
        workers: members.length - supervisors,
        supervisors,
      };
    });
  }

  /** Stops the children in reverse order, then itself. */
  stop(): Promise<SupervisorEnd> {
    this.#mailbox.post({ run: () => this.#finish('stopped') });
    return this.ended;
  }

  /** Kills the children at once, whatever it is doing, and ends. */
  kill(): Promise<SupervisorEnd> {
    this.#killed.abort();
    this.#mailbox.post({ run: () => this.#finish('killed') });
    return this.ended;
  }

  #call<Result>(run: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(refuseEnded());
      if (!this.#mailbox.post({ run: () => run().then(resolve, reject), refuse })) refuse();
    });
  }

  #present(id: string): Member {
    const member = this.#members.get(id);
    if (member === undefined) throw refuseChild('child.not-found', id);
    return member;
  }

  /** The spec of a child that is down and stays so by itself. */
  #absent(id: string): ChildSpec {
    const { spec, standing } = this.#present(id);
    if (standing === 'running') throw refuseChild('child.running', id);
    if (standing === 'restarting') throw refuseChild('child.restarting', id);
    return spec;
  }

  async #startAll(children: readonly ChildSpec[]): Promise<void> {
    for (const child of children) {
      const result = await this.#start(child);
      if (result.kind !== 'failed') continue;
      await this.#finish('stopped');
      throw refuseStart(child.id, result.reason);
    }
  }

  async #onExit(id: string, life: Life, exit: Exit): Promise<void> {
    const member = this.#members.get(id);
    if (member?.life !== life) return; // we ended it ourselves, and know
    this.#observe({ kind: 'exited', id, exit });
    this.#setDown(member.spec);
    const autoShutdown = this.#spec.autoShutdown ?? 'never';
    switch (afterExit(autoShutdown, member.spec, exit, this.#members.values())) {
      case 'restart':
        return this.#restart(id);
      case 'shut-down':
        return this.#finish('auto-shutdown');
      case 'leave':
        return undefined;
    }
  }

  /** Counts a restart, and carries it out unless it is one too many. */
  async #restart(id: string): Promise<void> {
    if (!this.#window.admit(this.#clock.now())) {
      this.#setDown(this.#present(id).spec);
      return this.#finish('too-many-restarts');
    }
    const strategy = this.#spec.strategy ?? 'one-for-one';
    const together = restartedWith(strategy, [...this.#members.keys()], id);
    for (const each of together.toReversed()) await this.#stop(each);
    for (const each of together) {
      const spec = this.#members.get(each)?.spec;
      if (spec === undefined) continue; // it was temporary
      const { kind } = await this.#start(spec);
      if (kind !== 'failed') continue;
      this.#members.set(each, { spec, standing: 'restarting' });
      this.#mailbox.post({ run: () => this.#tryAgain(each) });
      return;
    }
  }

  async #tryAgain(id: string): Promise<void> {
    // In between it may have been terminated, or restarted with others.
    if (this.#members.get(id)?.standing === 'restarting') await this.#restart(id);
  }

  async #start(spec: ChildSpec): Promise<StartResult> {
    const { id } = spec;
    const result = await this.#attempt(spec);
    switch (result.kind) {
      case 'started': {
        const life = new Life(result.child);
        this.#members.set(id, { spec, standing: 'running', life });
        this.#observe({ kind: 'started', id });
        void life.over.then((exit) =>
          this.#mailbox.post({ run: () => this.#onExit(id, life, exit) }),
        );
        break;
      }
      case 'ignored':
        this.#setDown(spec);
        this.#observe({ kind: 'ignored', id });
        break;
      case 'failed':
        this.#observe({ kind: 'start-failed', id, reason: result.reason });
        break;
    }
    return result;
  }

  /** A start that outlives our being killed is killed when it comes up. */
  async #attempt(spec: ChildSpec): Promise<StartResult> {
    const { signal } = this.#killed;
    const killed: StartResult = { kind: 'failed', reason: 'the supervisor is being killed' };
    if (signal.aborted) return killed;
    const begun = startOf(spec, signal);
    const result = await unlessAborted(begun, signal);
    if (result !== undefined) return result;
    void begun.then((late) => late.kind === 'started' && late.child.kill());
    return killed;
  }

  async #stop(id: string): Promise<void> {
    const { spec, life } = this.#present(id);
    if (life !== undefined) {
      const shutdown = this.#killed.signal.aborted ? 'brutal-kill' : shutdownOf(spec);
      const [stop] = await stopTogether([life], shutdown, this.#clock, this.#killed.signal);
      if (stop?.kind === 'obeyed') this.#observe({ kind: 'stopped', id, exit: stop.exit });
      if (stop?.kind === 'was-over') this.#observe({ kind: 'exited', id, exit: stop.exit });
      if (stop?.kind === 'killed' || stop?.kind === 'unstopped')
        this.#observe({ kind: 'killed', id, asked: shutdown !== 'brutal-kill' });
    }
    this.#setDown(spec);
  }

  /** A child that is down keeps its place, unless it is temporary: then it is forgotten. */
  #setDown(spec: ChildSpec): void {
    if (restartOf(spec) === 'temporary') this.#members.delete(spec.id);
    else this.#members.set(spec.id, { spec, standing: 'absent' });
  }

  async #finish(why: SupervisorEnd['why']): Promise<void> {
    if (this.#isOver) return;
    for (const id of [...this.#members.keys()].toReversed()) await this.#stop(id);
    this.#isOver = true;
    this.#ended.resolve({ exit: why === 'killed' ? { kind: 'killed' } : SHUTDOWN, why });
  }
}

/** A throw is a failed start, as in OTP. */
async function startOf(spec: ChildSpec, signal: AbortSignal): Promise<StartResult> {
  try {
    return await spec.start(signal);
  } catch (error) {
    return { kind: 'failed', reason: describeError(error) };
  }
}
