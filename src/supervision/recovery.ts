/**
 * What a supervisor does about children that ended: counts, waits, stops who goes down with them,
 * starts again, or gives up. Every method is one message, or a part of one.
 */
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import type { RestartTimer } from './restart-timer.ts';
import type { ChildSpec, StartResult } from './child.ts';
import type { Children, ManagedChild } from './children.ts';
import { afterExit, endsAll } from './decide-restart.ts';
import type { Exit } from './exit.ts';
import { isNormalExit } from './exit.ts';
import type { ChildInstance } from './child-instance.ts';
import type { RestartTracker } from './restart-tracker.ts';
import type { Strategy } from './restart-strategy.ts';
import { restartedTogether } from './restart-strategy.ts';
import type { AutoShutdown, SupervisionEvent, SupervisorEnd } from './supervisor-spec.ts';
import { unlessAborted } from './unless-aborted.ts';

export type RecoveryPorts = {
  readonly clock: Clock;
  readonly luck: Random;
  readonly observe: (event: SupervisionEvent) => void;
  /** A message to ourselves, behind all that wait. */
  readonly post: (run: () => Promise<void>) => void;
  /** Stops everybody and ends. */
  readonly finish: (why: SupervisorEnd['why']) => Promise<void>;
  readonly killed: AbortSignal;
};

export class RestartRecovery {
  readonly #strategy: Strategy;
  readonly #autoShutdown: AutoShutdown;
  readonly #crew: Children;
  readonly #book: RestartTracker;
  readonly #alarm: RestartTimer;
  readonly #ports: RecoveryPorts;

  constructor(
    flags: { readonly strategy: Strategy; readonly autoShutdown: AutoShutdown },
    parts: { readonly crew: Children; readonly book: RestartTracker; readonly alarm: RestartTimer },
    ports: RecoveryPorts,
  ) {
    this.#strategy = flags.strategy;
    this.#autoShutdown = flags.autoShutdown;
    this.#crew = parts.crew;
    this.#book = parts.book;
    this.#alarm = parts.alarm;
    this.#ports = ports;
  }

  async start(spec: ChildSpec): Promise<StartResult> {
    const result = await this.#crew.start(spec);
    if (result.kind === 'started') this.#book.started(spec);
    return result;
  }

  async onExit(id: string, life: ChildInstance, exit: Exit): Promise<void> {
    const spec = this.#crew.take(id, life, exit);
    if (spec === undefined) return; // we ended it ourselves, and know
    if (!isNormalExit(exit)) await this.#hook('keep', spec, exit);
    switch (afterExit(this.#strategy, this.#autoShutdown, spec, exit, this.#crew.members)) {
      case 'restart':
        return this.#restart(spec);
      case 'revert':
        return this.#revert(spec, exit);
      case 'shut-down':
        return this.#ports.finish('auto-shutdown');
      case 'leave':
        return this.#crew.setDown(spec);
    }
  }

  /** Counts a restart, and carries it out, unless it is one too many. `waiting`: siblings that are down because of it. */
  async #restart(spec: ChildSpec, waiting: readonly ManagedChild[] = []): Promise<void> {
    const admission = this.#book.admit(spec, this.#ports.luck());
    if (admission.kind === 'one-too-many') {
      this.#crew.setDown(spec);
      if (admission.of !== 'child' || spec.intensity?.whenFull !== 'leave')
        return this.#ports.finish('too-many-restarts');
      await this.#giveUp(spec);
      return this.#startWaiting(waiting);
    }
    const { delayMs } = admission;
    const at = this.#ports.clock.now();
    this.#ports.observe({ kind: 'restarting', id: spec.id, at, delayMs });
    if (delayMs === 0) return this.#carryOut(spec.id);
    const siblings = this.#membersOf(
      (await this.#stopWith(spec.id)).filter((id) => id !== spec.id),
    );
    const member = this.#crew.setRestarting(spec);
    this.#alarm.set(delayMs, () =>
      this.#ports.post(async () => {
        // In OTP the siblings are up again before anybody can terminate it. So they are here, after the wait.
        if (this.#crew.isStill(member)) await this.#carryOut(spec.id);
        else await this.#startWaiting(siblings);
      }),
    );
  }

  /** Those that go down with it, in start order, and itself; all of them are down now. */
  async #stopWith(id: string): Promise<readonly string[]> {
    const together = restartedTogether(this.#strategy, this.#crew.ids, id);
    for (const each of together.toReversed()) if (each !== id) await this.#crew.stop(each);
    return together;
  }

  async #carryOut(id: string): Promise<void> {
    await this.#startWaiting(this.#membersOf(await this.#stopWith(id)));
  }

  /** Those that are still down as they were left, in start order; what has happened to one since stands. */
  async #startWaiting(waiting: readonly ManagedChild[]): Promise<void> {
    for (const [place, member] of waiting.entries()) {
      if (!this.#crew.isStill(member)) continue;
      if (!(await this.#startAgain(member.spec, waiting.slice(place + 1)))) return;
    }
    await this.refresh();
  }

  /** Without those that were temporary, and are forgotten by now. */
  #membersOf(ids: readonly string[]): readonly ManagedChild[] {
    return ids.flatMap((id) => this.#crew.find(id) ?? []);
  }

  /**
   * False when it did not start: then it is tried again, after whatever else is in the mailbox, and
   * after a turn of the event loop, or a start that fails at once would keep the world out.
   */
  async #startAgain(spec: ChildSpec, waiting: readonly ManagedChild[] = []): Promise<boolean> {
    const { kind } = await this.start(spec);
    if (kind !== 'failed') return true;
    const member = this.#crew.setRestarting(spec);
    const restart = async (): Promise<void> => {
      // Unless it was terminated in between; as in OTP, its siblings stay down then.
      if (this.#crew.isStill(member)) await this.#restart(spec, waiting);
    };
    setImmediate(() => this.#ports.post(restart));
    return false;
  }

  /** Restarts who is stale, one after the other in start order; a producer that changed makes others so on the way. */
  async refresh(): Promise<void> {
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
    this.#ports.observe({ kind: 'gave-up', id: spec.id });
    await this.#leave(spec);
  }

  async #revert(spec: ChildSpec, exit: Exit): Promise<void> {
    if (!(await this.#hook('revert', spec, exit))) return this.#ports.finish('revert-failed');
    this.#crew.forget(spec.id);
    this.#ports.observe({ kind: 'reverted', id: spec.id });
    await this.#leave(spec);
  }

  /** It is down for good; where it was significant, that may be the end. */
  async #leave(spec: ChildSpec): Promise<void> {
    if (endsAll(this.#autoShutdown, spec, this.#crew.members))
      await this.#ports.finish('auto-shutdown');
  }

  /** False when the hook failed, which is told and decided upon, not thrown; or when a kill cut it short. */
  async #hook(name: 'keep' | 'revert', spec: ChildSpec, exit: Exit): Promise<boolean> {
    const hook = async (): Promise<true> => {
      await spec[name]?.(exit);
      return true;
    };
    try {
      return (await unlessAborted(hook(), this.#ports.killed)) ?? false;
    } catch (error) {
      const reason = describeError(error);
      this.#ports.observe({ kind: `${name}-failed`, id: spec.id, reason });
      return false;
    }
  }
}
