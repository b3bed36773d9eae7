/**
 * A supervisor by OTP's rules: it starts its children in order, restarts those that end as their
 * specs say, stops them in reverse, and gives up when they end too often. One message at a time; a
 * restart that fails is a message to itself, so that others, a stop above all, get in between.
 */
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { RestartTimer } from './restart-timer.ts';
import { problemWithChild, problemWithSupervisor } from './check-spec.ts';
import type { ChildSpec } from './child.ts';
import { Children } from './children.ts';
import type { Exit } from './exit.ts';
import { Mailbox } from './mailbox.ts';
import { RestartRecovery } from './recovery.ts';
import {
  refuseBusy,
  refuseChild,
  refuseEnded,
  refuseSpec,
  refuseStart,
} from './supervision-refusals.ts';
import type { RestartHistory } from './restart-tracker.ts';
import { RestartTracker } from './restart-tracker.ts';
import type {
  ChildCounts,
  ChildView,
  SupervisionEvent,
  SupervisorEnd,
  SupervisorSpec,
} from './supervisor-spec.ts';
import { DEFAULT_INTENSITY } from './supervisor-spec.ts';

export type SupervisorPorts = {
  readonly clock: Clock;
  /** For the jitter of a backoff. Default: none, as if it were always in the middle. */
  readonly luck?: Random;
  /** Told of everything, at once and in order; must not throw. */
  readonly observe?: (event: SupervisionEvent) => void;
};

type Message = { readonly run: () => Promise<void>; readonly refuse?: () => void };

const NO_LUCK: Random = () => 0.5;
/** Calls that may wait; ends of children and our own retries are as many as there are children. */
const CALLS_MAX = 10_000;

export class Supervisor {
  readonly #spec: Required<Pick<SupervisorSpec, 'strategy' | 'autoShutdown'>>;
  readonly #crew: Children;
  readonly #book: RestartTracker;
  readonly #alarm: RestartTimer;
  readonly #recovery: RestartRecovery;
  readonly #mailbox: Mailbox<Message>;
  readonly #killed = new AbortController();
  readonly #ended = Promise.withResolvers<SupervisorEnd>();
  #isOver = false;

  private constructor(spec: SupervisorSpec, ports: SupervisorPorts) {
    const { strategy = 'one-for-one', autoShutdown = 'never' } = spec;
    this.#spec = { strategy, autoShutdown };
    const { clock, luck = NO_LUCK, observe = () => undefined } = ports;
    const killed = this.#killed.signal;
    const post = (run: Message['run']): void => void this.#mailbox.post({ run });
    this.#crew = new Children({
      clock,
      observe,
      onOver: (id, life, exit) => post(() => this.#recovery.onExit(id, life, exit)),
      onForget: (id) => this.#book.forget(id),
      killed,
      forgetsAll: strategy === 'dynamic',
    });
    this.#book = new RestartTracker(
      clock,
      spec.intensity ?? DEFAULT_INTENSITY,
      spec.backoff,
      spec.history,
    );
    this.#alarm = new RestartTimer(clock);
    this.#recovery = new RestartRecovery(
      this.#spec,
      { crew: this.#crew, book: this.#book, alarm: this.#alarm },
      { clock, luck, observe, post, killed, finish: (why) => this.#finish(why) },
    );
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
      await this.#recovery.refresh();
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
      const result = await this.#recovery.start(child);
      if (result.kind !== 'failed') continue;
      await this.#finish('stopped');
      throw refuseStart(child.id, result.reason);
    }
  }

  async #startOne(spec: ChildSpec): Promise<'started' | 'ignored'> {
    const result = await this.#recovery.start(spec);
    if (result.kind === 'failed') throw refuseChild('child.start-failed', spec.id, result.reason);
    await this.#recovery.refresh();
    return result.kind;
  }

  async #finish(because: SupervisorEnd['why']): Promise<void> {
    if (this.#isOver) return;
    this.#alarm.silence();
    if (this.#spec.strategy === 'dynamic') await this.#crew.stopAtOnce();
    else await this.#crew.stopInReverse();
    this.#isOver = true;
    const why = this.#killed.signal.aborted ? 'killed' : because;
    const exit: Exit = { kind: why === 'killed' ? 'killed' : 'shutdown' };
    this.#ended.resolve({ exit, why, unstopped: this.#crew.unstopped });
  }
}

/** A throw before the first promise is a rejection too. */
async function settled<Result>(run: () => Promise<Result>): Promise<Result> {
  return run();
}
