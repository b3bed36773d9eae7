/** The circuit breakers of all projects of a home, stored as events of a stream of their own. */
import { oneLine, truncate } from '../base/text.ts';
import type {
  BreakerKey,
  BreakerView,
  UpdateBreakerInput,
  UpdateBreakerResult,
} from '../protocol/breaker.ts';
import { BREAKER_REASON_MAX } from '../protocol/breaker.ts';
import { BREAKER_STREAM } from '../protocol/streams.ts';
import type { ProjectionPorts } from '../store/projection.ts';
import type { BreakerAdmission, Breaker } from './breaker-state.ts';
import { admitVisit, breakerId, foldBreakers, stateAt, toBreakerView } from './breaker-state.ts';
import type { KeyedProjection } from './keyed-projection.ts';
import { openKeyedProjection } from './keyed-projection.ts';

export class BreakerStore {
  readonly #ports: ProjectionPorts;
  readonly #breakers: KeyedProjection<Breaker, typeof BREAKER_STREAM>;

  private constructor(
    ports: ProjectionPorts,
    breakers: KeyedProjection<Breaker, typeof BREAKER_STREAM>,
  ) {
    this.#ports = ports;
    this.#breakers = breakers;
  }

  static async open(ports: ProjectionPorts): Promise<BreakerStore> {
    const breakers = await openKeyedProjection<Breaker, typeof BREAKER_STREAM>(ports, {
      ...{ stream: BREAKER_STREAM, maker: 'breakers@1', idOf: breakerId, fold: foldBreakers },
    });
    return new BreakerStore(ports, breakers);
  }

  /** Resolves when a probe is on record. The same run is admitted again after a crash. */
  async admit(
    { project, workflow, step }: BreakerKey,
    { run, isForced }: { readonly run: string; readonly isForced: boolean },
  ): Promise<Exclude<BreakerAdmission, { kind: 'probe' }>> {
    const key = { project, workflow, step };
    const probe = this.#breakers.state.get(breakerId(key))?.probe ?? null;
    const view = probe === null ? undefined : await this.#ports.journal.run(probe);
    const isOver = probe !== null && (view === undefined || view.endedAt !== null);
    let admission: BreakerAdmission = { kind: 'pass', isCounted: false };
    await this.#breakers.change((state) => {
      const breaker = state.get(breakerId(key));
      const isProbeOver = isOver && breaker?.probe === probe;
      const visitor = { run, isForced, isProbeOver };
      admission = admitVisit(breaker, this.#ports.clock.now(), visitor);
      if (admission.kind !== 'probe') return [];
      return [{ type: 'breaker.probed', payload: { ...key, run } }];
    });
    const decided = admission as BreakerAdmission;
    return decided.kind === 'probe' ? { kind: 'pass', isCounted: true } : decided;
  }

  /** A repeated call is stored once: a failure is known by its run, or by its visit. */
  async update(
    run: string,
    { project, workflow, step, result, child, visit, reason }: UpdateBreakerInput,
  ): Promise<UpdateBreakerResult> {
    const key = { project, workflow, step };
    const failure = child ?? `${run}/${visit}`;
    await this.#breakers.change((state) => {
      const breaker = state.get(breakerId(key));
      if (result === 'passed')
        return breaker === undefined ? [] : [{ type: 'breaker.closed', payload: { ...key, run } }];
      if (breaker?.failures.some(({ id }) => id === failure) === true) return [];
      const short = truncate(oneLine(reason), BREAKER_REASON_MAX);
      return [{ type: 'breaker.failed', payload: { ...key, run, failure, reason: short } }];
    });
    const after = this.#breakers.state.get(breakerId(key));
    if (after === undefined) return { state: 'closed', failures: 0 };
    const now = this.#ports.clock.now();
    return { state: stateAt(after, now), failures: toBreakerView(after, now).failures };
  }

  /** Those that have counted a failure, the last to fail at the end. */
  list(): readonly BreakerView[] {
    const now = this.#ports.clock.now();
    return [...this.#breakers.state.values()]
      .map((one) => toBreakerView(one, now))
      .filter(({ state, failures }) => state !== 'closed' || failures > 0);
  }

  /** Closes the breakers for which `which` is true. Resolves with them. */
  async reset(which: (breaker: BreakerView) => boolean): Promise<readonly BreakerView[]> {
    let closed: readonly BreakerView[] = [];
    await this.#breakers.change(() => {
      closed = this.list().filter(which);
      return closed.map(({ project, workflow, step }) => ({
        type: 'breaker.closed' as const,
        payload: { project, workflow, step },
      }));
    });
    return closed;
  }
}
