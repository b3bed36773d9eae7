/**
 * The children of one supervisor: their specs in start order, and the lives of those that run.
 * This class starts, stops and lists them. The supervisor decides when.
 */
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { ChildSpec, Shutdown, StartResult } from './child.ts';
import { restartPolicy, shutdownPolicy } from './child.ts';
import type { Exit } from './exit.ts';
import type { StopMode } from './child-instance.ts';
import { ChildInstance, stopTogether } from './child-instance.ts';
import { Provenance, problemWithProvenance } from './provenance.ts';
import { refuseChild } from './supervision-refusals.ts';
import type { ChildCounts, ChildView, ChildStatus, SupervisionEvent } from './supervisor-spec.ts';
import { unlessAborted } from './unless-aborted.ts';

/** One child; every change makes a new value. `instance` is set exactly while it is running. */
export type ManagedChild = {
  readonly spec: ChildSpec;
  readonly status: ChildStatus;
  readonly instance?: ChildInstance;
};

export type ChildrenPorts = {
  readonly clock: Clock;
  readonly observe: (event: SupervisionEvent) => void;
  /** Called when a life has ended, even if it was stopped: see `recordExit`. */
  readonly onExit: (id: string, instance: ChildInstance, exit: Exit) => void;
  readonly onForget: (id: string) => void;
  /** Aborted when the supervisor is killed: no child is asked to exit, and none is started. */
  readonly killed: AbortSignal;
  /** Whether a child that stays down is forgotten. Temporary children always are. */
  readonly forgetsAll: boolean;
};

export class Children {
  readonly #ports: ChildrenPorts;
  /** By id, in start order, which is the order of insertion. */
  readonly #members = new Map<string, ManagedChild>();
  readonly #provenance = new Provenance();
  /** Children that were killed and still run. Their ids are not started again until they exit. */
  readonly #unstopped = new Set<string>();

  constructor(ports: ChildrenPorts) {
    this.#ports = ports;
  }

  /** In start order. */
  get ids(): Iterable<string> {
    return this.#members.keys();
  }

  get members(): Iterable<ManagedChild> {
    return this.#members.values();
  }

  get unstopped(): readonly string[] {
    return [...this.#unstopped];
  }

  find(id: string): ManagedChild | undefined {
    return this.#members.get(id);
  }

  /** Refuses an unknown id. */
  getChild(id: string): ManagedChild {
    const member = this.#members.get(id);
    if (member === undefined) throw refuseChild('child.not-found', id);
    return member;
  }

  /** The spec of a child that is down and has no restart pending; refuses any other. */
  getStoppedSpec(id: string): ChildSpec {
    const { spec, status } = this.getChild(id);
    if (status === 'running') throw refuseChild('child.running', id);
    if (status === 'restarting') throw refuseChild('child.restarting', id);
    return spec;
  }

  /** Newest first, as OTP lists them. */
  get views(): readonly ChildView[] {
    return [...this.#members.values()]
      .map(({ spec: { id, type = 'worker' }, status }) => ({ id, status, type }))
      .toReversed();
  }

  get counts(): ChildCounts {
    const members = [...this.#members.values()];
    const supervisors = members.filter(({ spec }) => spec.type === 'supervisor').length;
    return {
      specs: members.length,
      active: members.filter(
        ({ instance }) => instance !== undefined && instance.exit === undefined,
      ).length,
      workers: members.length - supervisors,
      supervisors,
    };
  }

  /** Marks the child of this life as absent and returns its spec; undefined if the life was stopped or is not the current one. */
  recordExit(id: string, instance: ChildInstance, exit: Exit): ChildSpec | undefined {
    const member = this.#members.get(id);
    if (member?.instance !== instance) return undefined;
    this.#ports.observe({ kind: 'exited', id, exit });
    this.#members.set(id, { spec: member.spec, status: 'absent' });
    return member.spec;
  }

  async start(spec: ChildSpec): Promise<StartResult> {
    const { id } = spec;
    const { observe, onExit } = this.#ports;
    this.#provenance.starting(spec);
    const result = await this.#attempt(spec);
    switch (result.kind) {
      case 'started': {
        const instance = new ChildInstance(result.child);
        this.#members.set(id, { spec, status: 'running', instance });
        this.#provenance.started(spec, result.produced);
        observe({ kind: 'started', id });
        void instance.exited.then((exit) => onExit(id, instance, exit));
        break;
      }
      case 'ignored':
        this.setDown(spec);
        observe({ kind: 'ignored', id });
        break;
      case 'failed':
        if (!this.#members.has(id)) this.#provenance.forget(id);
        observe({ kind: 'start-failed', id, reason: result.reason });
        break;
    }
    return result;
  }

  /** Stops the child. It stays down, and a pending restart is cancelled. */
  async stop(id: string): Promise<void> {
    await this.stopInstance(id);
    this.setDown(this.getChild(id).spec);
  }

  /** Stops the child and keeps its place, even if it is temporary. */
  async stopInstance(id: string): Promise<void> {
    const { spec, instance } = this.getChild(id);
    if (instance !== undefined) await this.#stop([id], [instance], shutdownPolicy(spec));
    this.#members.set(id, { spec, status: 'absent' });
  }

  /** Stops one child after the other, the newest first; all at once when the supervisor is killed. */
  async stopInReverse(): Promise<void> {
    for (const id of [...this.ids].toReversed()) {
      if (this.#ports.killed.aborted) return this.stopAtOnce();
      await this.stop(id);
    }
  }

  /** Stops all at once, with one timer for each distinct grace. */
  async stopAtOnce(): Promise<void> {
    const running = [...this.#members].toReversed().flatMap(([id, { spec, instance }]) => {
      return instance === undefined ? [] : [{ id, life: instance, shutdown: shutdownPolicy(spec) }];
    });
    const { aborted } = this.#ports.killed;
    const groups = Map.groupBy(running, ({ shutdown }) => (aborted ? 'brutal-kill' : shutdown));
    await Promise.all(
      [...groups].map(([shutdown, group]) => {
        const [ids, instances] = [
          group.map(({ id }) => id),
          group.map(({ life: instance }) => instance),
        ];
        return this.#stop(ids, instances, shutdown);
      }),
    );
    this.#members.clear();
  }

  /** A child that is down keeps its place, unless it is forgotten. */
  setDown(spec: ChildSpec): void {
    if (this.#ports.forgetsAll || restartPolicy(spec) === 'temporary') this.forget(spec.id);
    else this.#members.set(spec.id, { spec, status: 'absent' });
  }

  /** Marks a restart as pending. It is valid while `isUnchanged` returns true. */
  setRestarting(spec: ChildSpec): ManagedChild {
    const member: ManagedChild = { spec, status: 'restarting' };
    this.#members.set(spec.id, member);
    return member;
  }

  /** False once the child has changed since. */
  isUnchanged(member: ManagedChild): boolean {
    return this.#members.get(member.spec.id) === member;
  }

  forget(id: string): void {
    this.#members.delete(id);
    this.#provenance.forget(id);
    this.#ports.onForget(id);
  }

  /** Why the child can't start after all present ones. */
  problemWithOrder(spec: ChildSpec): string | undefined {
    if (spec.produces === undefined) return undefined;
    const others = [...this.#members.values()].map((member) => member.spec);
    return problemWithProvenance([...others.filter(({ id }) => id !== spec.id), spec]);
  }

  /** Whether any content has changed since the last call. */
  takeChange(): boolean {
    return this.#provenance.takeChange();
  }

  publish(hashes: Readonly<Record<string, string>>): void {
    this.#provenance.publish(hashes);
  }

  /** Whether the child runs, may be restarted, and has an input that changed since its start. */
  isStale(id: string): boolean {
    const member = this.#members.get(id);
    if (member?.instance === undefined || restartPolicy(member.spec) === 'temporary') return false;
    return this.#provenance.isStale(id);
  }

  /** If the supervisor is killed during a start, the child is killed as soon as it is up. */
  async #attempt(spec: ChildSpec): Promise<StartResult> {
    const { killed } = this.#ports;
    const supervisorKilled: StartResult = {
      kind: 'failed',
      reason: 'the supervisor is being killed',
    };
    if (killed.aborted) return supervisorKilled;
    if (this.#unstopped.has(spec.id))
      return { kind: 'failed', reason: 'it was killed before and still runs' };
    const starting = startChild(spec, killed);
    const result = await unlessAborted(starting, killed);
    if (result !== undefined) return result;
    void starting.then((late) => late.kind === 'started' && late.child.kill());
    return supervisorKilled;
  }

  async #stop(
    ids: readonly string[],
    instances: readonly ChildInstance[],
    grace: Shutdown,
  ): Promise<void> {
    const { clock, killed } = this.#ports;
    const shutdown = killed.aborted ? 'brutal-kill' : grace;
    const stops = await stopTogether(instances, shutdown, clock, killed);
    for (const [index, instance] of instances.entries()) {
      const [id, stop] = [ids[index], stops[index]];
      if (id === undefined || stop === undefined) continue;
      if (stop.kind === 'unstopped') {
        this.#unstopped.add(id);
        void instance.exited.then(() => this.#unstopped.delete(id));
      }
      this.#report(id, stop, shutdown !== 'brutal-kill');
    }
  }

  #report(id: string, stop: StopMode, asked: boolean): void {
    const { observe } = this.#ports;
    switch (stop.kind) {
      case 'was-over':
        return observe({ kind: 'exited', id, exit: stop.exit });
      case 'obeyed':
        return observe({ kind: 'stopped', id, exit: stop.exit });
      case 'killed':
        return observe({ kind: 'killed', id, asked });
      case 'unstopped':
        return observe({ kind: 'unstopped', id });
    }
  }
}

/** A throw is a failed start, as in OTP. */
async function startChild(spec: ChildSpec, signal: AbortSignal): Promise<StartResult> {
  try {
    return await spec.start(signal);
  } catch (error) {
    return { kind: 'failed', reason: describeError(error) };
  }
}
