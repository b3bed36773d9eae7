/**
 * The recent activity of one agent, for the health monitor. A repeated call is only a suspicion: then the
 * monitor looks at the work tree. The agent is spinning if it keeps repeating the call and the tree stays
 * the same.
 */
import { hashText } from '../base/hash-text.ts';
import type { AgentActivity } from '../protocol/activity.ts';
import type { HealthPolicy } from '../protocol/agent-rules.ts';
import type { Health, HealthPulse } from './health.ts';
import { firstPulse, foldPulse, judgeHealth, mostFrequent } from './health.ts';

/** Enough digits of a hash to tell calls apart, and short, because it is stored often. */
const KEY_DIGITS = 12;

export type ActivityWindow = {
  /** The recent calls, by key. */
  readonly pulse: HealthPulse;
  /** By key: the text of the calls in the pulse. */
  readonly callTexts: Readonly<Record<string, string>>;
  /** The number of all calls. */
  readonly calls: number;
  /** The work folder of the running turn. */
  readonly folder: string | null;
  /** The tree when spinning was first suspected, and the number of calls until then. */
  readonly suspected: { readonly fingerprint: string; readonly calls: number } | null;
  /** How often the monitor has reacted to this spin, and at which call it did last. */
  readonly reacted: { readonly times: number; readonly calls: number } | null;
  /** The monitor has reacted to the inactivity. */
  readonly prodded: boolean;
};

export function emptyWindow(nowMs: number): ActivityWindow {
  return {
    pulse: firstPulse(nowMs),
    callTexts: {},
    calls: 0,
    folder: null,
    suspected: null,
    reacted: null,
    prodded: false,
  };
}

/** Every activity is a sign of life. Only calls show whether the agent makes progress. */
export function withActivity(
  watch: ActivityWindow,
  activity: AgentActivity,
  policy: HealthPolicy,
  nowMs: number,
): ActivityWindow {
  const active = { ...watch, prodded: false };
  switch (activity.kind) {
    case 'call':
      return withCall(active, activity, policy, nowMs);
    case 'turn-begun':
      return { ...withSign(active, nowMs), folder: activity.folder };
    case 'turn-ended':
      return { ...withSign(active, nowMs), folder: null };
    case 'write':
    case 'spend':
    case 'spawn':
    case 'connect':
    case 'command':
    case 'purse':
    case 'changed':
      return withSign(active, nowMs);
  }
}

function withCall(
  watch: ActivityWindow,
  { call: text, signature = text }: Extract<AgentActivity, { kind: 'call' }>,
  policy: HealthPolicy,
  nowMs: number,
): ActivityWindow {
  const call = hashText(signature).slice(0, KEY_DIGITS);
  const pulse = foldPulse(watch.pulse, { kind: 'call', call, atMs: nowMs }, policy);
  const recent = new Set(pulse.calls);
  const known = Object.entries(watch.callTexts).filter(([key]) => recent.has(key));
  return {
    ...watch,
    calls: watch.calls + 1,
    pulse,
    callTexts: { ...Object.fromEntries(known), [call]: text },
  };
}

function withSign(watch: ActivityWindow, nowMs: number): ActivityWindow {
  const lastSignMs = Math.max(watch.pulse.lastSignMs, nowMs);
  return { ...watch, pulse: { ...watch.pulse, lastSignMs } };
}

/** Whether the monitor should look at the tree: one call fills half of the count that makes a spin. */
export function isSuspect({ pulse }: ActivityWindow, policy: HealthPolicy): boolean {
  return mostFrequent(pulse.calls)[1] >= half(policy);
}

/** `fingerprint` is that of the work tree. If it differs from the last one, the agent made progress. */
export function afterHealthCheck(
  watch: ActivityWindow,
  fingerprint: string,
  policy: HealthPolicy,
  nowMs: number,
): ActivityWindow {
  if (watch.suspected === null) return { ...watch, suspected: { fingerprint, calls: watch.calls } };
  if (watch.suspected.fingerprint === fingerprint) return watch;
  const pulse = foldPulse(watch.pulse, { kind: 'artefact', atMs: nowMs }, policy);
  return { ...watch, pulse, callTexts: {}, suspected: null, reacted: null };
}

export type WindowJudgement = {
  readonly watch: ActivityWindow;
  readonly health: Health;
  /** How often the monitor has reacted, this time included; 0: no reaction. */
  readonly reactionCount: number;
};

export function judgeWindow(
  watch: ActivityWindow,
  policy: HealthPolicy,
  isWorking: boolean,
  nowMs: number,
): WindowJudgement {
  const current = isSuspect(watch, policy) ? watch : { ...watch, suspected: null, reacted: null };
  const health = withCallText(judgeHealth(current.pulse, policy, isWorking, nowMs), current);
  const unchanged = { watch: current, health, reactionCount: 0 };
  switch (health.kind) {
    case 'well':
      return unchanged;
    case 'inactive':
      return current.prodded
        ? unchanged
        : { watch: { ...current, prodded: true }, health, reactionCount: 1 };
    case 'spinning': {
      const quietMs = Math.max(0, nowMs - current.pulse.lastSignMs);
      const isConfirmed =
        current.suspected !== null && current.calls - current.suspected.calls >= half(policy);
      if (!isConfirmed) return { ...unchanged, health: { kind: 'well', quietMs } };
      const since = current.calls - (current.reacted?.calls ?? Number.NEGATIVE_INFINITY);
      if (since < policy.spinCalls) return unchanged;
      const times = (current.reacted?.times ?? 0) + 1;
      return {
        watch: { ...current, reacted: { times, calls: current.calls } },
        health,
        reactionCount: times,
      };
    }
  }
}

function withCallText(health: Health, { callTexts }: ActivityWindow): Health {
  return health.kind === 'spinning'
    ? { ...health, call: callTexts[health.call] ?? health.call }
    : health;
}

function half({ spinCalls }: HealthPolicy): number {
  return Math.ceil(spinCalls / 2);
}
