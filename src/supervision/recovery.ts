/**
 * Restarts children that exited: counts the restart, waits, stops the siblings that restart too, starts all
 * of them, or gives up. Each method is one message of the mailbox, or a part of one.
 */
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import type { RestartTimer } from './restart-timer.ts';
import type { ChildSpec, StartResult } from './child.ts';
import type { Children, ManagedChild } from './children.ts';
import { decideAfterExit, endsSupervisor } from './decide-restart.ts';
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
  readonly random: Random;
  readonly observe: (event: SupervisionEvent) => void;
  /** Posts a message of the supervisor to itself, behind all that wait. */
  readonly post: (run: () => Promise<void>) => void;
  /** Stops all children and ends the supervisor. */
  readonly finish: (why: SupervisorEnd['why']) => Promise<void>;
  readonly killed: AbortSignal;
};

export class RestartRecovery {
  readonly #strategy: Strategy;
  readonly #autoShutdown: AutoShutdown;
  readonly #children: Children;
  readonly #tracker: RestartTracker;
  readonly #timer: RestartTimer;
  readonly #ports: RecoveryPorts;

  constructor(
    flags: { readonly strategy: Strategy; readonly autoShutdown: AutoShutdown },
    parts: {
      readonly children: Children;
      readonly tracker: RestartTracker;
      readonly timer: RestartTimer;
    },
    ports: RecoveryPorts,
  ) {
    this.#strategy = flags.strategy;
    this.#autoShutdown = flags.autoShutdown;
    this.#children = parts.children;
    this.#tracker = parts.tracker;
    this.#timer = parts.timer;
    this.#ports = ports;
  }

  async start(spec: ChildSpec): Promise<StartResult> {
    const result = await this.#children.start(spec);
    if (result.kind === 'started') this.#tracker.started(spec);
    return result;
  }

  async onExit(id: string, instance: ChildInstance, exit: Exit): Promise<void> {
    const spec = this.#children.recordExit(id, instance, exit);
    if (spec === undefined) return; // the supervisor itself stopped it
    if (!isNormalExit(exit)) await this.#hook('keep', spec, exit);
    switch (
      decideAfterExit(this.#strategy, this.#autoShutdown, spec, exit, this.#children.members)
    ) {
      case 'restart':
        return this.#restart(spec);
      case 'revert':
        return this.#revert(spec, exit);
      case 'shut-down':
        return this.#ports.finish('auto-shutdown');
      case 'leave':
        return this.#children.setDown(spec);
    }
  }

  /** Counts a restart and performs it, unless it is one too many. `waiting`: siblings that are down because of it. */
  async #restart(spec: ChildSpec, waiting: readonly ManagedChild[] = []): Promise<void> {
    const admission = this.#tracker.admit(spec, this.#ports.random());
    if (admission.kind === 'one-too-many') {
      this.#children.setDown(spec);
      if (admission.window !== 'child' || spec.intensity?.whenFull !== 'leave')
        return this.#ports.finish('too-many-restarts');
      await this.#giveUp(spec);
      return this.#startWaiting(waiting);
    }
    const { delayMs } = admission;
    const at = this.#ports.clock.now();
    this.#ports.observe({ kind: 'restarting', id: spec.id, at, delayMs });
    if (delayMs === 0) return this.#perform(spec.id);
    const siblings = this.#findMembers(
      (await this.#stopWith(spec.id)).filter((id) => id !== spec.id),
    );
    const member = this.#children.setRestarting(spec);
    this.#timer.set(delayMs, () =>
      this.#ports.post(async () => {
        // In OTP the siblings are up before a call can terminate the child. So they restart here even if it was terminated.
        if (this.#children.isUnchanged(member)) await this.#perform(spec.id);
        else await this.#startWaiting(siblings);
      }),
    );
  }

  /** Stops the siblings that restart with the child. Returns all of them in start order, the child included. */
  async #stopWith(id: string): Promise<readonly string[]> {
    const together = restartedTogether(this.#strategy, this.#children.ids, id);
    for (const each of together.toReversed()) if (each !== id) await this.#children.stop(each);
    return together;
  }

  async #perform(id: string): Promise<void> {
    await this.#startWaiting(this.#findMembers(await this.#stopWith(id)));
  }

  /** Starts those that are still down, in start order. A child that has changed meanwhile is left alone. */
  async #startWaiting(waiting: readonly ManagedChild[]): Promise<void> {
    for (const [index, member] of waiting.entries()) {
      if (!this.#children.isUnchanged(member)) continue;
      if (!(await this.#startAgain(member.spec, waiting.slice(index + 1)))) return;
    }
    await this.refresh();
  }

  /** Without temporary children, which are forgotten by now. */
  #findMembers(ids: readonly string[]): readonly ManagedChild[] {
    return ids.flatMap((id) => this.#children.find(id) ?? []);
  }

  /**
   * Returns false if the child did not start. It is tried again behind all other messages and after a turn of
   * the event loop; otherwise a start that fails at once would block the process.
   */
  async #startAgain(spec: ChildSpec, waiting: readonly ManagedChild[] = []): Promise<boolean> {
    const { kind } = await this.start(spec);
    if (kind !== 'failed') return true;
    const member = this.#children.setRestarting(spec);
    const restart = async (): Promise<void> => {
      // If it was terminated meanwhile, its siblings stay down, as in OTP.
      if (this.#children.isUnchanged(member)) await this.#restart(spec, waiting);
    };
    setImmediate(() => this.#ports.post(restart));
    return false;
  }

  /** Restarts stale children in start order. A producer whose output changes makes later ones stale on the way. */
  async refresh(): Promise<void> {
    if (!this.#children.takeChange()) return;
    for (const id of this.#children.ids) {
      if (!this.#children.isStale(id)) continue;
      const { spec } = this.#children.getChild(id);
      await this.#children.stopInstance(id);
      await this.#startAgain(spec);
    }
    this.#children.takeChange(); // consumers come after their producers, so this walk has covered them
  }

  async #giveUp(spec: ChildSpec): Promise<void> {
    this.#ports.observe({ kind: 'gave-up', id: spec.id });
    await this.#leave(spec);
  }

  async #revert(spec: ChildSpec, exit: Exit): Promise<void> {
    if (!(await this.#hook('revert', spec, exit))) return this.#ports.finish('revert-failed');
    this.#children.forget(spec.id);
    this.#ports.observe({ kind: 'reverted', id: spec.id });
    await this.#leave(spec);
  }

  /** The child stays down. If it was significant, the supervisor may end. */
  async #leave(spec: ChildSpec): Promise<void> {
    if (endsSupervisor(this.#autoShutdown, spec, this.#children.members))
      await this.#ports.finish('auto-shutdown');
  }

  /** Returns false if the hook failed, which is reported and not thrown, or if a kill cut it short. */
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
