/**
 * The children of one supervisor: their specs in start order and the lives of those that are up.
 * It starts, stops and lists them; when and why is the supervisor's to decide.
 */
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { ChildSpec, Shutdown, StartResult } from './child.ts';
import { restartOf, shutdownOf } from './child.ts';
import type { Exit } from './exit.ts';
import type { StopMode } from './child-instance.ts';
import { ChildInstance, stopTogether } from './child-instance.ts';
import { Provenance, problemWithProvenance } from './provenance.ts';
import { refuseChild } from './supervision-refusals.ts';
import type { ChildCounts, ChildView, ChildStatus, SupervisionEvent } from './supervisor-spec.ts';
import { unlessAborted } from './unless-aborted.ts';

/** What is known of one child; another value with every change. `life` is there exactly while it is running. */
export type ManagedChild = {
  readonly spec: ChildSpec;
  readonly standing: ChildStatus;
  readonly life?: ChildInstance;
};

export type ChildrenPorts = {
  readonly clock: Clock;
  readonly observe: (event: SupervisionEvent) => void;
  /** Told when a life has ended, also one that was stopped: see `take`. */
  readonly onOver: (id: string, life: ChildInstance, exit: Exit) => void;
  readonly onForget: (id: string) => void;
  /** Aborted when there is no time left: nobody is asked, nothing is started. */
  readonly killed: AbortSignal;
  /** Whether a child that is down and not to be restarted is forgotten, as temporary ones always are. */
  readonly forgetsAll: boolean;
};

export class Children {
  readonly #ports: ChildrenPorts;
  /** By id, in start order, which is the order of insertion. */
  readonly #members = new Map<string, ManagedChild>();
  readonly #provenance = new Provenance();
  /** Killed and not gone: as long as one is there, its id is not started again. */
  readonly #lingering = new Set<string>();

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
    return [...this.#lingering];
  }

  find(id: string): ManagedChild | undefined {
    return this.#members.get(id);
  }

  /** Refuses an id that nobody has. */
  present(id: string): ManagedChild {
    const member = this.#members.get(id);
    if (member === undefined) throw refuseChild('child.not-found', id);
    return member;
  }

  /** The spec of a child that is down and stays so by itself; refuses any other. */
  absent(id: string): ChildSpec {
    const { spec, standing } = this.present(id);
    if (standing === 'running') throw refuseChild('child.running', id);
    if (standing === 'restarting') throw refuseChild('child.restarting', id);
    return spec;
  }

  /** Newest first, as OTP lists them. */
  get views(): readonly ChildView[] {
    return [...this.#members.values()]
      .map(({ spec: { id, type = 'worker' }, standing }) => ({ id, standing, type }))
      .toReversed();
  }

  get counts(): ChildCounts {
    const members = [...this.#members.values()];
    const supervisors = members.filter(({ spec }) => spec.type === 'supervisor').length;
    return {
      specs: members.length,
      active: members.filter(({ life }) => life !== undefined && life.exit === undefined).length,
      workers: members.length - supervisors,
      supervisors,
    };
  }

  /** The spec of the child whose present life this was, now absent; undefined when it was stopped, or is another's. */
  take(id: string, life: ChildInstance, exit: Exit): ChildSpec | undefined {
    const member = this.#members.get(id);
    if (member?.life !== life) return undefined;
    this.#ports.observe({ kind: 'exited', id, exit });
    this.#members.set(id, { spec: member.spec, standing: 'absent' });
    return member.spec;
  }

  async start(spec: ChildSpec): Promise<StartResult> {
    const { id } = spec;
    const { observe, onOver } = this.#ports;
    this.#provenance.starting(spec);
    const result = await this.#attempt(spec);
    switch (result.kind) {
      case 'started': {
        const life = new ChildInstance(result.child);
        this.#members.set(id, { spec, standing: 'running', life });
        this.#provenance.started(spec, result.produced);
        observe({ kind: 'started', id });
        void life.over.then((exit) => onOver(id, life, exit));
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

  /** It is down then and stays so, also when it was to be restarted. */
  async stop(id: string): Promise<void> {
    await this.halt(id);
    this.setDown(this.present(id).spec);
  }

  /** It is down then and keeps its place in any case. */
  async halt(id: string): Promise<void> {
    const { spec, life } = this.present(id);
    if (life !== undefined) await this.#stop([id], [life], shutdownOf(spec));
    this.#members.set(id, { spec, standing: 'absent' });
  }

  /** One after the other, the newest first; all at once as soon as there is no time left. */
  async stopInReverse(): Promise<void> {
    for (const id of [...this.ids].toReversed()) {
      if (this.#ports.killed.aborted) return this.stopAtOnce();
      await this.stop(id);
    }
  }

  /** All at once, with one timer for each distinct grace. */
  async stopAtOnce(): Promise<void> {
    const running = [...this.#members].toReversed().flatMap(([id, { spec, life }]) => {
      return life === undefined ? [] : [{ id, life, shutdown: shutdownOf(spec) }];
    });
    const { aborted } = this.#ports.killed;
    const groups = Map.groupBy(running, ({ shutdown }) => (aborted ? 'brutal-kill' : shutdown));
    await Promise.all(
      [...groups].map(([shutdown, group]) => {
        const [ids, lives] = [group.map(({ id }) => id), group.map(({ life }) => life)];
        return this.#stop(ids, lives, shutdown);
      }),
    );
    this.#members.clear();
  }

  /** A child that is down keeps its place, unless it is to be forgotten. */
  setDown(spec: ChildSpec): void {
    if (this.#ports.forgetsAll || restartOf(spec) === 'temporary') this.forget(spec.id);
    else this.#members.set(spec.id, { spec, standing: 'absent' });
  }

  /** Down, and to be started again for as long as `isStill` says so. */
  setRestarting(spec: ChildSpec): ManagedChild {
    const member: ManagedChild = { spec, standing: 'restarting' };
    this.#members.set(spec.id, member);
    return member;
  }

  /** False once anything has happened to that child since. */
  isStill(member: ManagedChild): boolean {
    return this.#members.get(member.spec.id) === member;
  }

  forget(id: string): void {
    this.#members.delete(id);
    this.#provenance.forget(id);
    this.#ports.onForget(id);
  }

  /** What is wrong with starting it after all who are here. */
  problemWithOrder(spec: ChildSpec): string | undefined {
    if (spec.produces === undefined) return undefined;
    const others = [...this.#members.values()].map((member) => member.spec);
    return problemWithProvenance([...others.filter(({ id }) => id !== spec.id), spec]);
  }

  /** Whether any content has changed since this was last asked. */
  takeChange(): boolean {
    return this.#provenance.takeChange();
  }

  publish(hashes: Readonly<Record<string, string>>): void {
    this.#provenance.publish(hashes);
  }

  /** Runs, may be restarted, and was made from something that has changed since. */
  isStale(id: string): boolean {
    const member = this.#members.get(id);
    if (member?.life === undefined || restartOf(member.spec) === 'temporary') return false;
    return this.#provenance.isStale(id);
  }

  /** A start that outlives our being killed is killed when it comes up. */
  async #attempt(spec: ChildSpec): Promise<StartResult> {
    const { killed } = this.#ports;
    const tooLate: StartResult = { kind: 'failed', reason: 'the supervisor is being killed' };
    if (killed.aborted) return tooLate;
    if (this.#lingering.has(spec.id))
      return { kind: 'failed', reason: 'it was killed before and is still there' };
    const begun = startOf(spec, killed);
    const result = await unlessAborted(begun, killed);
    if (result !== undefined) return result;
    void begun.then((late) => late.kind === 'started' && late.child.kill());
    return tooLate;
  }

  async #stop(
    ids: readonly string[],
    lives: readonly ChildInstance[],
    grace: Shutdown,
  ): Promise<void> {
    const { clock, killed } = this.#ports;
    const shutdown = killed.aborted ? 'brutal-kill' : grace;
    const stops = await stopTogether(lives, shutdown, clock, killed);
    for (const [index, life] of lives.entries()) {
      const [id, stop] = [ids[index], stops[index]];
      if (id === undefined || stop === undefined) continue;
      if (stop.kind === 'unstopped') {
        this.#lingering.add(id);
        void life.over.then(() => this.#lingering.delete(id));
      }
      this.#tell(id, stop, shutdown !== 'brutal-kill');
    }
  }

  #tell(id: string, stop: StopMode, asked: boolean): void {
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
async function startOf(spec: ChildSpec, signal: AbortSignal): Promise<StartResult> {
  try {
    return await spec.start(signal);
  } catch (error) {
    return { kind: 'failed', reason: describeError(error) };
  }
}
