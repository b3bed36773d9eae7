/**
 * One agent as its health monitor sees it. That it does the same again and again is only a suspicion:
 * then its tree is looked at, and it spins when it goes on like that and the tree stays as it is.
 */
import { hashText } from '../base/hash-text.ts';
import type { AgentActivity } from '../protocol/activity.ts';
import type { HealthPolicy } from '../protocol/agent-rules.ts';
import type { Health, HealthPulse } from './health.ts';
import { firstPulse, foldPulse, judgeHealth, mostFrequent } from './health.ts';

/** So much of its hash tells one call from another: what is written down again and again is short. */
const KEY_DIGITS = 12;

export type ActivityWindow = {
  /** Its calls by their keys. */
  readonly pulse: HealthPulse;
  /** By key: the words of the calls that are in the pulse. */
  readonly words: Readonly<Record<string, string>>;
  /** All that it has called. */
  readonly calls: number;
  /** Where it works, while it does. */
  readonly folder: string | null;
  /** How its tree was when a spin was first suspected, and how many calls there had been. */
  readonly looked: { readonly print: string; readonly calls: number } | null;
  /** How often something was done about this spin, and at which call the last time. */
  readonly acted: { readonly times: number; readonly calls: number } | null;
  /** Something was done about its being quiet. */
  readonly prodded: boolean;
};

export function emptyWindow(nowMs: number): ActivityWindow {
  return {
    pulse: firstPulse(nowMs),
    words: {},
    calls: 0,
    folder: null,
    looked: null,
    acted: null,
    prodded: false,
  };
}

/** Whatever it is seen doing is a sign of life; only calls say whether it gets on. */
export function withActivity(
  watch: ActivityWindow,
  sighting: AgentActivity,
  policy: HealthPolicy,
  nowMs: number,
): ActivityWindow {
  const awake = { ...watch, prodded: false };
  switch (sighting.kind) {
    case 'call':
      return called(awake, sighting.call, policy, nowMs);
    case 'turn-begun':
      return { ...signed(awake, nowMs), folder: sighting.folder };
    case 'turn-ended':
      return { ...signed(awake, nowMs), folder: null };
    case 'write':
    case 'spend':
    case 'spawn':
    case 'connect':
    case 'command':
    case 'purse':
    case 'changed':
      return signed(awake, nowMs);
  }
}

function called(
  watch: ActivityWindow,
  words: string,
  policy: HealthPolicy,
  nowMs: number,
): ActivityWindow {
  const call = hashText(words).slice(0, KEY_DIGITS);
  const pulse = foldPulse(watch.pulse, { kind: 'call', call, atMs: nowMs }, policy);
  const recent = new Set(pulse.calls);
  const known = Object.entries(watch.words).filter(([key]) => recent.has(key));
  return {
    ...watch,
    calls: watch.calls + 1,
    pulse,
    words: { ...Object.fromEntries(known), [call]: words },
  };
}

function signed(watch: ActivityWindow, nowMs: number): ActivityWindow {
  const lastSignMs = Math.max(watch.pulse.lastSignMs, nowMs);
  return { ...watch, pulse: { ...watch.pulse, lastSignMs } };
}

/** Whether it is time to look at its tree: half of the calls that make a spin are the same one. */
export function isSuspect({ pulse }: ActivityWindow, policy: HealthPolicy): boolean {
  return mostFrequent(pulse.calls)[1] >= half(policy);
}

/** `print` is the same for the same tree. Another one than at the last look is an artefact. */
export function afterHealthCheck(
  watch: ActivityWindow,
  print: string,
  policy: HealthPolicy,
  nowMs: number,
): ActivityWindow {
  if (watch.looked === null) return { ...watch, looked: { print, calls: watch.calls } };
  if (watch.looked.print === print) return watch;
  const pulse = foldPulse(watch.pulse, { kind: 'artefact', atMs: nowMs }, policy);
  return { ...watch, pulse, words: {}, looked: null, acted: null };
}

export type WindowJudgement = {
  readonly watch: ActivityWindow;
  readonly health: Health;
  /** How often something has now been done about it, this time included; 0: nothing is to be done. */
  readonly act: number;
};

export function judgeWindow(
  watch: ActivityWindow,
  policy: HealthPolicy,
  isWorking: boolean,
  nowMs: number,
): WindowJudgement {
  const at = isSuspect(watch, policy) ? watch : { ...watch, looked: null, acted: null };
  const health = inWords(judgeHealth(at.pulse, policy, isWorking, nowMs), at);
  const still = { watch: at, health, act: 0 };
  switch (health.kind) {
    case 'well':
      return still;
    case 'inactive':
      return at.prodded ? still : { watch: { ...at, prodded: true }, health, act: 1 };
    case 'spinning': {
      const quietMs = Math.max(0, nowMs - at.pulse.lastSignMs);
      const goesOn = at.looked !== null && at.calls - at.looked.calls >= half(policy);
      if (!goesOn) return { ...still, health: { kind: 'well', quietMs } };
      const since = at.calls - (at.acted?.calls ?? Number.NEGATIVE_INFINITY);
      if (since < policy.spinCalls) return still;
      const times = (at.acted?.times ?? 0) + 1;
      return { watch: { ...at, acted: { times, calls: at.calls } }, health, act: times };
    }
  }
}

function inWords(health: Health, { words }: ActivityWindow): Health {
  return health.kind === 'spinning'
    ? { ...health, call: words[health.call] ?? health.call }
    : health;
}

function half({ spinCalls }: HealthPolicy): number {
  return Math.ceil(spinCalls / 2);
}
