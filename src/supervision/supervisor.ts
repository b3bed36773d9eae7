/**
 * A supervisor by OTP's rules: it starts its children in order, restarts those that end as their
 * specs say, stops them in reverse, and gives up when they end too often. One message at a time; a
 * restart that fails is a message to itself, so that others, a stop above all, get in between.
 */
import type { Clock } from '../base/clock.ts';
import { after } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Luck } from '../base/luck.ts';
import { Alarm } from './alarm.ts';
import { problemWithChild, problemWithSupervisor } from './check-spec.ts';
import type { ChildSpec } from './child.ts';
import type { Member } from './crew.ts';
import { Crew } from './crew.ts';
import { afterExit, endsAll } from './decide.ts';
import type { Exit } from './exit.ts';
import { wasMeant } from './exit.ts';
import type { Life } from './life.ts';
import { Mailbox } from './mailbox.ts';
import { refuseBusy, refuseChild, refuseEnded, refuseSpec, refuseStart } from './refusals.ts';
import type { RestartHistory } from './restart-book.ts';
import { RestartBook } from './restart-book.ts';
import { restartedWith } from './strategy.ts';
import type {
  ChildCounts,
  ChildView,
  SupervisionEvent,
  SupervisorEnd,
  SupervisorSpec,
} from './supervisor-spec.ts';
import { DEFAULT_INTENSITY } from './supervisor-spec.ts';
import { unlessAborted } from './unless-aborted.ts';

export type SupervisorPorts = {
  readonly clock: Clock;
  /** For the jitter of a backoff. Default: none, as if it were always in the middle. */
  readonly luck?: Luck;
  /** Told of everything, at once and in order; must not throw. */
  readonly observe?: (event: SupervisionEvent) => void;
};

type Message = { readonly run: () => Promise<void>; readonly refuse?: () => void };

const NO_LUCK: Luck = () => 0.5;
/** Calls that may wait; ends of children and our own retries are as many as there are children. */
const CALLS_MAX = 10_000;

export class Supervisor {
  readonly #spec: Required<Pick<SupervisorSpec, 'strategy' | 'autoShutdown'>>;
  readonly #clock: Clock;
  readonly #luck: Luck;
  readonly #observe: (event: SupervisionEvent) => void;
  readonly #crew: Crew;
  readonly #book: RestartBook;
  readonly #alarm: Alarm;
  readonly #mailbox: Mailbox<Message>;
  readonly #killed = new AbortController();
  readonly #ended = Promise.withResolvers<SupervisorEnd>();
  #isOver = false;

  private constructor(spec: SupervisorSpec, ports: SupervisorPorts) {
    const { strategy = 'one-for-one', autoShutdown = 'never' } = spec;
    this.#spec = { strategy, autoShutdown };
    this.#clock = ports.clock;
    this.#luck = ports.luck ?? NO_LUCK;
    this.#observe = ports.observe ?? (() => undefined);
    this.#crew = new Crew({
      clock: ports.clock,
      observe: this.#observe,
      onOver: (id, life, exit) => this.#mailbox.post({ run: () => this.#onExit(id, life, exit) }),
      onForget: (id) => this.#book.forget(id),
      killed: this.#killed.signal,
      forgetsAll: strategy === 'dynamic',
    });
    this.#book = new RestartBook(spec.intensity ?? DEFAULT_INTENSITY, spec.backoff, spec.history);
    this.#alarm = new Alarm(ports.clock);
    this.#mailbox = new Mailbox(async ({ run }) => {
      await run();
      if (this.#isOver) for (const { refuse } of this.#mailbox.close()) refuse?.();
    });
  }

  /**
   * Resolves once all children are up. When one can't be, those before it are stopped and the start
   * is refused. The signal kills it, at any time.
   */
  static async start(
    spec: SupervisorSpec,
    ports: SupervisorPorts,
    signal?: AbortSignal,
  ): Promise<Supervisor> {
    const problem = problemWithSupervisor(spec);
    if (problem !== undefined) throw refuseSpec(problem);
    const supervisor = new Supervisor(spec, ports);
    const kill = (): void => void supervisor.kill();
    signal?.addEventListener('abort', kill);
    void supervisor.ended.then(() => signal?.removeEventListener('abort', kill));
    if (signal?.aborted === true) kill();
    await supervisor.#call(() => supervisor.#startAll(spec.children ?? []));
    return supervisor;
  }

  /** Resolves when it has ended and its children with it; never rejects. */
  get ended(): Promise<SupervisorEnd> {
    return this.#ended.promise;
  }

  /** What is to be written down for the next life of this supervisor. */
  get history(): RestartHistory {
    return this.#book.history;
  }

  startChild(spec: ChildSpec): Promise<'started' | 'ignored'> {
    return this.#call(async () => {
      const problem = problemWithChild(spec, this.#spec) ?? this.#crew.problemWithOrder(spec);
      if (problem !== undefined) throw refuseChild('child.invalid', spec.id, problem);
      const standing = this.#crew.find(spec.id)?.standing;
      if (standing === 'running') throw refuseChild('child.already-started', spec.id);
      if (standing !== undefined) throw refuseChild('child.already-present', spec.id);
      return this.#startOne(spec);
    });
  }

  /** Stops it and keeps its spec, unless it is temporary or dynamic. Ends a pending restart too. */
  terminateChild(id: string): Promise<void> {
    return this.#call(async () => {
      await this.#crew.stop(id);
      if (this.#crew.unstopped.includes(id)) throw refuseChild('child.unstopped', id);
    });
  }

  /** Starts a child that is down and whose spec was kept. */
  restartChild(id: string): Promise<'started' | 'ignored'> {
    return this.#call(() => this.#startOne(this.#crew.absent(id)));
  }

  deleteChild(id: string): Promise<void> {
    return this.#call(async () => {
      this.#crew.absent(id);
      this.#crew.forget(id);
    });
  }

  /** Newest first, as OTP lists them. */
  whichChildren(): Promise<readonly ChildView[]> {
    return this.#call(async () => this.#crew.views);
  }

  countChildren(): Promise<ChildCounts> {
    return this.#call(async () => this.#crew.counts);
  }

  /** The present life of a running child, to be told of its end: one-way, and of no consequence to either. */
  monitor(id: string): Promise<{ readonly down: Promise<Exit> }> {
    return this.#call(async () => {
      const { life } = this.#crew.present(id);
      if (life === undefined) throw refuseChild('child.not-running', id);
      return { down: life.over };
    });
  }

  /** Says what the content of things is now, by hash: restarts exactly those who consume what has changed. */
  publish(hashes: Readonly<Record<string, string>>): Promise<void> {
    return this.#call(async () => {
      this.#crew.publish(hashes);
      await this.#refresh();
    });
  }

  /** Stops the children in reverse order, dynamic ones all at once, then itself. */
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
      const message: Message = { run: () => settled(run).then(resolve, reject), refuse };
      if (this.#mailbox.size >= CALLS_MAX) reject(refuseBusy());
      else if (!this.#mailbox.post(message)) refuse();
    });
  }

  async #startAll(children: readonly ChildSpec[]): Promise<void> {
    for (const child of children) {
      const result = await this.#start(child);
      if (result.kind !== 'failed') continue;
      await this.#finish('stopped');
      throw refuseStart(child.id, result.reason);
    }
  }

  async #startOne(spec: ChildSpec): Promise<'started' | 'ignored'> {
    const result = await this.#start(spec);
    if (result.kind === 'failed') throw refuseChild('child.start-failed', spec.id, result.reason);
    await this.#refresh();
    return result.kind;
  }

  async #start(spec: ChildSpec): ReturnType<Crew['start']> {
    const result = await this.#crew.start(spec);
    if (result.kind === 'started') this.#book.started(spec, this.#clock.now());
    return result;
  }

  async #onExit(id: string, life: Life, exit: Exit): Promise<void> {
    const spec = this.#crew.take(id, life, exit);
    if (spec === undefined) return; // we ended it ourselves, and know
    if (!wasMeant(exit)) await this.#hook('keep', spec, exit);
    const { strategy, autoShutdown } = this.#spec;
    switch (afterExit(strategy, autoShutdown, spec, exit, this.#crew.members)) {
      case 'restart':
        return this.#restart(spec);
      case 'revert':
        return this.#revert(spec, exit);
      case 'shut-down':
        return this.#finish('auto-shutdown');
      case 'leave':
        return this.#crew.setDown(spec);
    }
  }

  /** Counts a restart, and carries it out, unless it is one too many. */
  async #restart(spec: ChildSpec): Promise<void> {
    const now = this.#clock.now();
    const admission = this.#book.admit(spec, now, this.#luck());
    if (admission.kind === 'one-too-many') {
      this.#crew.setDown(spec);
      return admission.of === 'child' && spec.intensity?.whenFull === 'leave'
        ? this.#giveUp(spec)
        : this.#finish('too-many-restarts');
    }
    const { delayMs } = admission;
    this.#observe({ kind: 'restarting', id: spec.id, at: now, delayMs });
    if (delayMs === 0) return this.#carryOut(spec.id);
    await this.#stopWith(spec.id);
    const member = this.#crew.setRestarting(spec);
    const carryOut = (): Promise<void> => this.#carryOut(spec.id);
    this.#alarm.set(after(now, delayMs), () => this.#later(member, carryOut));
  }

  /** Those that go down with it, in start order, and itself; all of them are down now. */
  async #stopWith(id: string): Promise<readonly string[]> {
    const together = restartedWith(this.#spec.strategy, this.#crew.ids, id);
    for (const each of together.toReversed()) if (each !== id) await this.#crew.stop(each);
    return together;
  }

  async #carryOut(id: string): Promise<void> {
    for (const each of await this.#stopWith(id)) {
      const spec = this.#crew.find(each)?.spec;
      if (spec === undefined) continue; // it was temporary
      if (!(await this.#startAgain(spec))) return;
    }
    await this.#refresh();
  }

  /**
   * False when it did not start: then it is tried again, after whatever else is in the mailbox, and
   * after a turn of the event loop, or a start that fails at once would keep the world out.
   */
  async #startAgain(spec: ChildSpec): Promise<boolean> {
    const { kind } = await this.#start(spec);
    if (kind !== 'failed') return true;
    const member = this.#crew.setRestarting(spec);
    setImmediate(() => this.#later(member, () => this.#restart(spec)));
    return false;
  }

  /** Unless it was terminated, or restarted with others, in between. */
  #later(member: Member, restart: () => Promise<void>): void {
    this.#mailbox.post({
      run: async () => {
        if (this.#crew.isStill(member)) await restart();
      },
    });
  }

  /** Restarts who is stale, one after the other in start order; a producer that changed makes others so on the way. */
  async #refresh(): Promise<void> {
    if (!this.#crew.takeChange()) return;
    for (const id of this.#crew.ids) {
      if (!this.#crew.isStale(id)) continue;
      const { spec } = this.#crew.present(id);
      await this.#crew.halt(id);
      await this.#startAgain(spec);
    }
    this.#crew.takeChange(); // those after a producer that changed were looked at after it
  }

  async #giveUp(spec: ChildSpec): Promise<void> {
    this.#observe({ kind: 'gave-up', id: spec.id });
    await this.#leave(spec);
  }

  async #revert(spec: ChildSpec, exit: Exit): Promise<void> {
    if (!(await this.#hook('revert', spec, exit))) return this.#finish('revert-failed');
    this.#crew.forget(spec.id);
    this.#observe({ kind: 'reverted', id: spec.id });
    await this.#leave(spec);
  }

  /** It is down for good; where it was significant, that may be the end. */
  async #leave(spec: ChildSpec): Promise<void> {
    if (endsAll(this.#spec.autoShutdown, spec, this.#crew.members))
      await this.#finish('auto-shutdown');
  }

  /** False when the hook failed, which is told and decided upon, not thrown. */
  async #hook(name: 'keep' | 'revert', spec: ChildSpec, exit: Exit): Promise<boolean> {
    try {
      await unlessAborted(spec[name]?.(exit) ?? Promise.resolve(), this.#killed.signal);
      return true;
    } catch (error) {
      const reason = describeError(error);
      this.#observe({ kind: `${name}-failed`, id: spec.id, reason });
      return false;
    }
  }

  async #finish(why: SupervisorEnd['why']): Promise<void> {
    if (this.#isOver) return;
    this.#alarm.silence();
    if (this.#spec.strategy === 'dynamic') await this.#crew.stopAtOnce();
    else await this.#crew.stopInReverse();
    this.#isOver = true;
    const exit: Exit = { kind: why === 'killed' ? 'killed' : 'shutdown' };
    this.#ended.resolve({ exit, why, unstopped: this.#crew.unstopped });
  }
}

/** A throw before the first promise is a rejection too. */
async function settled<Result>(run: () => Promise<Result>): Promise<Result> {
  return run();
}
