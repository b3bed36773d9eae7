/** The circuit breakers of steps, folded from facts. A step that fails again and again is not started any more. */
import type { BreakerEvent } from '../protocol/event.ts';
import type { BreakerKey, BreakerStateName, BreakerView } from '../protocol/breaker.ts';
import { BREAKER_FAILURES_MAX, BREAKER_WITHIN_MS } from '../protocol/breaker.ts';

export type Breaker = BreakerKey & {
  /** The last ones, oldest first. A failure that is reported again is known by its id. */
  readonly failures: readonly { readonly id: string; readonly at: number }[];
  /** Null: it is closed. */
  readonly openedAt: number | null;
  /** The run that may try the step while it is half open. */
  readonly probe: string | null;
  readonly reason: string;
};

export type Breakers = ReadonlyMap<string, Breaker>;

export const NO_BREAKERS: Breakers = new Map();

/** Beyond this number, the step that failed longest ago is dropped. */
export const BREAKERS_MAX = 1000;

export function breakerId({ project, workflow, step }: BreakerKey): string {
  return JSON.stringify([project, workflow, step]);
}

export function foldBreakers(breakers: Breakers, { type, payload, at }: BreakerEvent): Breakers {
  const id = breakerId(payload);
  const before = breakers.get(id);
  const changed = new Map(breakers);
  switch (type) {
    case 'breaker.failed': {
      const { project, workflow, step, run, failure, reason } = payload;
      const fresh: Breaker = {
        ...{ project, workflow, step, failures: [], openedAt: null, probe: null, reason },
      };
      const { failures, openedAt, probe } = before ?? fresh;
      const counted = [...failures, { id: failure, at }].slice(-BREAKER_FAILURES_MAX);
      const opens = openedAt !== null || countAt(counted, at) >= BREAKER_FAILURES_MAX;
      changed.delete(id); // the last of the map is the one that failed last
      changed.set(id, {
        ...fresh,
        failures: counted,
        openedAt: opens ? at : null,
        probe: probe === run ? null : probe,
      });
      return dropOldest(changed);
    }
    case 'breaker.probed':
      if (before !== undefined) changed.set(id, { ...before, probe: payload.run });
      return changed;
    case 'breaker.closed':
      changed.delete(id);
      return changed;
  }
}

function dropOldest(breakers: Map<string, Breaker>): Breakers {
  const [oldest] = breakers.keys();
  if (breakers.size > BREAKERS_MAX && oldest !== undefined) breakers.delete(oldest);
  return breakers;
}

function countAt(failures: Breaker['failures'], now: number): number {
  return failures.filter(({ at }) => now - at < BREAKER_WITHIN_MS).length;
}

export function stateAt({ openedAt, probe }: Breaker, now: number): BreakerStateName {
  if (openedAt === null) return 'closed';
  return probe !== null || now - openedAt >= BREAKER_WITHIN_MS ? 'half-open' : 'open';
}

export type BreakerAdmission =
  /** `isCounted`: the breaker has to know if the step passes. */
  | { readonly kind: 'pass'; readonly isCounted: boolean }
  /** It passes if the probe is on record. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'open'; readonly why: string };

export type Visitor = {
  readonly run: string;
  /** A person wants it tried now. */
  readonly isForced: boolean;
  /** Whether the run that tries the step has ended without a result. */
  readonly isProbeOver: boolean;
};

/** Whether a step may begin. While it is half open, one run tries it and the others wait for a person. */
export function admitVisit(
  breaker: Breaker | undefined,
  now: number,
  { run, isForced, isProbeOver }: Visitor,
): BreakerAdmission {
  if (breaker === undefined) return { kind: 'pass', isCounted: false };
  const { openedAt, probe, reason, failures } = breaker;
  if (openedAt === null || probe === run) return { kind: 'pass', isCounted: true };
  if (probe !== null && !isProbeOver)
    return { kind: 'open', why: `its circuit breaker is half open, and run ${probe} tries it now` };
  if (isForced || now - openedAt >= BREAKER_WITHIN_MS) return { kind: 'probe' };
  const often = `failed ${failures.length} times in a row, in this run or in others`;
  return {
    kind: 'open',
    why: `its circuit breaker is open, because the step ${often}, the last time because: ${reason}`,
  };
}

export function toBreakerView(breaker: Breaker, now: number): BreakerView {
  const { project, workflow, step, failures, openedAt, probe, reason } = breaker;
  const state = stateAt(breaker, now);
  return {
    ...{ project, workflow, step, state, probe, reason },
    failures: openedAt === null ? countAt(failures, now) : failures.length,
    lastFailedAt: failures.at(-1)?.at ?? 0,
    until: state === 'open' && openedAt !== null ? openedAt + BREAKER_WITHIN_MS : null,
  };
}
