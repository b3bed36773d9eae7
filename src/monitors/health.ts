/**
 * Judges whether an agent makes progress, by its actions and never by its output. Silence alone is never
 * treated as a failure, because a model can think for a long time. Repeating the same call is.
 */
import type { HealthPolicy } from '../protocol/agent-rules.ts';

/** An action of an agent that left a trace outside of it. */
export type HealthSign =
  /** A tool was called; `call` is the tool and its arguments, or a hash of both. */
  | { readonly kind: 'call'; readonly call: string; readonly atMs: number }
  /** Something new exists: a changed file, a step of a plan, a gate that passed. */
  | { readonly kind: 'artefact'; readonly atMs: number };

/** The recent calls of an agent. Times are elapsed times. */
export type HealthPulse = {
  /** The calls since the last artefact, oldest first; at most twice as many as make a spin. */
  readonly calls: readonly string[];
  readonly lastSignMs: number;
};

export const DEFAULT_HEALTH: HealthPolicy = { spinCalls: 10, onSpin: 'notify', inactivity: null };

export type Health =
  | { readonly kind: 'well'; readonly quietMs: number }
  | {
      readonly kind: 'spinning';
      readonly call: string;
      readonly times: number;
      readonly action: HealthPolicy['onSpin'];
    }
  | { readonly kind: 'inactive'; readonly quietMs: number; readonly action: 'prod' | 'reap' };

export function firstPulse(atMs: number): HealthPulse {
  return { calls: [], lastSignMs: atMs };
}

export function foldPulse(
  pulse: HealthPulse,
  sign: HealthSign,
  { spinCalls }: Pick<HealthPolicy, 'spinCalls'>,
): HealthPulse {
  const lastSignMs = Math.max(pulse.lastSignMs, sign.atMs);
  if (sign.kind === 'artefact') return { calls: [], lastSignMs };
  return { calls: [...pulse.calls, sign.call].slice(-2 * spinCalls), lastSignMs };
}

/** `isWorking`: the agent is in the state `working`. An agent that waits is well. */
export function judgeHealth(
  pulse: HealthPulse,
  policy: HealthPolicy,
  isWorking: boolean,
  nowMs: number,
): Health {
  const quietMs = Math.max(0, nowMs - pulse.lastSignMs);
  if (!isWorking) return { kind: 'well', quietMs };
  const [call, times] = mostFrequent(pulse.calls);
  if (times >= policy.spinCalls) return { kind: 'spinning', call, times, action: policy.onSpin };
  const { inactivity } = policy;
  if (inactivity !== null && quietMs >= inactivity.afterMs)
    return { kind: 'inactive', quietMs, action: inactivity.action };
  return { kind: 'well', quietMs };
}

export function mostFrequent(calls: readonly string[]): readonly [call: string, times: number] {
  const counts = new Map<string, number>();
  for (const call of calls) counts.set(call, (counts.get(call) ?? 0) + 1);
  let most: readonly [string, number] = ['', 0];
  for (const [call, times] of counts) if (times > most[1]) most = [call, times];
  return most;
}
