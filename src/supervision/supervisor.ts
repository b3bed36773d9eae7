/**
 * A supervisor by OTP's rules: it starts its children in order, restarts those that exit as their specs
 * say, stops them in reverse, and gives up when they exit too often. It handles one message at a time. A
 * failed restart is posted as a new message, so that other calls, a stop above all, come first.
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
  /** For the jitter of a backoff. Default: always 0.5, which is no jitter. */
  readonly random?: Random;
  /** Receives every event, at once and in order; must not throw. */
  readonly observe?: (event: SupervisionEvent) => void;
};

type Message = { readonly run: () => Promise<void>; readonly refuse?: () => void };

const NO_JITTER: Random = () => 0.5;
/** Calls that may wait. Exits and retries are bounded by the number of children. */
const CALLS_MAX = 10_000;

export class Supervisor {
  readonly #spec: Required<Pick<SupervisorSpec, 'strategy' | 'autoShutdown'>>;
  readonly #children: Children;
  readonly #tracker: RestartTracker;
  readonly #timer: RestartTimer;
  readonly #recovery: RestartRecovery;
  readonly #mailbox: Mailbox<Message>;
  readonly #killed = new AbortController();
  readonly #ended = Promise.withResolvers<SupervisorEnd>();
  #isOver = false;

  private constructor(spec: SupervisorSpec, ports: SupervisorPorts) {
    const { strategy = 'one-for-one', autoShutdown = 'never' } = spec;
    this.#spec = { strategy, autoShutdown };
    const { clock, random = NO_JITTER, observe = () => undefined } = ports;
    const killed = this.#killed.signal;
    const post = (run: Message['run']): void => void this.#mailbox.post({ run });
    this.#children = new Children({
      clock,
      observe,
      onExit: (id, instance, exit) => post(() => this.#recovery.onExit(id, instance, exit)),
      onForget: (id) => this.#tracker.forget(id),
      killed,
      forgetsAll: strategy === 'dynamic',
    });
    this.#tracker = new RestartTracker(
      clock,
      spec.intensity ?? DEFAULT_INTENSITY,
      spec.backoff,
      spec.history,
    );
    this.#timer = new RestartTimer(clock);
    this.#recovery = new RestartRecovery(
      this.#spec,
      { children: this.#children, tracker: this.#tracker, timer: this.#timer },
      { clock, random, observe, post, killed, finish: (why) => this.#finish(why) },
    );
    this.#mailbox = new Mailbox(async ({ run }) => {
      await run();
      if (this.#isOver) for (const { refuse } of this.#mailbox.close()) refuse?.();
    });
  }

  /**
   * Resolves once all children are up. If one fails to start, those before it are stopped and the start
   * is refused. The signal kills the supervisor at any time.
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

  /** Resolves when the supervisor and its children have ended; never rejects. */
  get ended(): Promise<SupervisorEnd> {
    return this.#ended.promise;
  }

  /** The restarts to store for the next life of this supervisor. */
  get history(): RestartHistory {
    return this.#tracker.history;
  }

  startChild(spec: ChildSpec): Promise<'started' | 'ignored'> {
    return this.#call(async () => {
      const problem = problemWithChild(spec, this.#spec) ?? this.#children.problemWithOrder(spec);
      if (problem !== undefined) throw refuseChild('child.invalid', spec.id, problem);
      const status = this.#children.find(spec.id)?.status;
      if (status === 'running') throw refuseChild('child.already-started', spec.id);
      if (status !== undefined) throw refuseChild('child.already-present', spec.id);
      return this.#startOne(spec);
    });
  }

  /** Stops the child and keeps its spec, unless it is temporary or dynamic. Cancels a pending restart too. */
  terminateChild(id: string): Promise<void> {
    return this.#call(async () => {
      await this.#children.stop(id);
      if (this.#children.unstopped.includes(id)) throw refuseChild('child.unstopped', id);
    });
  }

  /** Starts a child that is down and whose spec was kept. */
  restartChild(id: string): Promise<'started' | 'ignored'> {
    return this.#call(() => this.#startOne(this.#children.getStoppedSpec(id)));
  }

  deleteChild(id: string): Promise<void> {
    return this.#call(async () => {
      this.#children.getStoppedSpec(id);
      this.#children.forget(id);
    });
  }

  /** Newest first, as OTP lists them. */
  whichChildren(): Promise<readonly ChildView[]> {
    return this.#call(async () => this.#children.views);
  }

  countChildren(): Promise<ChildCounts> {
    return this.#call(async () => this.#children.counts);
  }

  /** Observes the exit of the current life of a child. Affects neither the child nor the caller. */
  monitor(id: string): Promise<{ readonly down: Promise<Exit> }> {
    return this.#call(async () => {
      const { instance } = this.#children.getChild(id);
      if (instance === undefined) throw refuseChild('child.not-running', id);
      return { down: instance.exited };
    });
  }

  /** Publishes content by hash, and restarts exactly the children whose inputs have changed. */
  publish(hashes: Readonly<Record<string, string>>): Promise<void> {
    return this.#call(async () => {
      this.#children.publish(hashes);
      await this.#recovery.refresh();
    });
  }

  /** Stops the children in reverse order, dynamic ones all at once, and then ends. */
  stop(): Promise<SupervisorEnd> {
    this.#mailbox.post({ run: () => this.#finish('stopped') });
    return this.ended;
  }

  /** Kills the children at once, whatever the supervisor is doing, and ends. */
  kill(): Promise<SupervisorEnd> {
    this.#killed.abort();
    this.#mailbox.post({ run: () => this.#finish('killed') });
    return this.ended;
  }

  #call<Result>(run: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => reject(refuseEnded());
      const message: Message = { run: () => callAsync(run).then(resolve, reject), refuse };
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
    this.#timer.cancelAll();
    if (this.#spec.strategy === 'dynamic') await this.#children.stopAtOnce();
    else await this.#children.stopInReverse();
    this.#isOver = true;
    const why = this.#killed.signal.aborted ? 'killed' : because;
    const exit: Exit = { kind: why === 'killed' ? 'killed' : 'shutdown' };
    this.#ended.resolve({ exit, why, unstopped: this.#children.unstopped });
  }
}

/** Turns a synchronous throw into a rejection. */
async function callAsync<Result>(run: () => Promise<Result>): Promise<Result> {
  return run();
}
