/**
 * Whether the messages of a detector pay. A message pays if p > d / (r + d). Here p is the share of runs with the anomaly
 * that fail without a message. A message saves a share r of those, and disturbs a share d of the others.
 */
import type { DetectorName } from '../protocol/contracts/steering-contract.ts';
import { DETECTORS } from '../protocol/contracts/steering-contract.ts';
import type { Interval } from './steps/wilson.ts';
import { wilsonInterval } from './steps/wilson.ts';

/** How a message reaches the agents of these runs while they work. `none`: not at all. */
export const STEERING_CHANNELS = ['hook', 'gateway', 'none'] as const;
export type SteeringChannel = (typeof STEERING_CHANNELS)[number];

/** One detector in one run. */
export type SteeringCase = {
  readonly run: string;
  readonly detector: DetectorName;
  readonly model: string;
  readonly channel: SteeringChannel;
  /** The agent was told. */
  readonly told: boolean;
  /** Null: no gate has judged the run, or a person stopped it. */
  readonly failed: boolean | null;
};

export type SteeringRow = {
  readonly detector: DetectorName;
  readonly model: string;
  readonly channel: SteeringChannel;
  /** Runs with the anomaly, and those of them that nothing has judged. */
  readonly cases: number;
  readonly unjudged: number;
  /** Judged runs in which the agent was not told, and in which it was. */
  readonly untold: number;
  readonly told: number;
  readonly p: Share | null;
  /** How often runs fail in which the agent was told. */
  readonly failsWhenTold: Share | null;
  /** At least so many: only the balance of saved and disturbed runs can be seen. */
  readonly r: number | null;
  readonly d: number | null;
  readonly pStar: number | null;
  readonly verdict: SteeringVerdict;
};

export type Share = Interval & { readonly share: number };

export const STEERING_VERDICTS = [
  'too-few-cases',
  'not-tried',
  'pays',
  'does-not-pay',
  'unclear',
] as const;
export type SteeringVerdict = (typeof STEERING_VERDICTS)[number];

/** A pilot of so many cases predicts the effect. */
const CASES_MIN = 50;

export function steeringReport(cases: readonly SteeringCase[]): readonly SteeringRow[] {
  const groups = Map.groupBy(oncePerRun(cases), keyOf);
  return [...groups.values()]
    .flatMap(([first, ...rest]) => (first === undefined ? [] : [rowOf([first, ...rest])]))
    .toSorted(
      (one, other) =>
        DETECTORS.indexOf(one.detector) - DETECTORS.indexOf(other.detector) ||
        one.model.localeCompare(other.model) ||
        STEERING_CHANNELS.indexOf(one.channel) - STEERING_CHANNELS.indexOf(other.channel),
    );
}

function keyOf({ detector, model, channel }: SteeringCase): string {
  return `${detector} ${channel} ${model}`;
}

/** A run in which an anomaly was found ten times is one case. If the agent was told once, it was told. */
function oncePerRun(cases: readonly SteeringCase[]): readonly SteeringCase[] {
  const byRun = new Map<string, SteeringCase>();
  for (const one of cases) {
    const key = `${one.run} ${keyOf(one)}`;
    byRun.set(key, { ...one, told: one.told || byRun.get(key)?.told === true });
  }
  return [...byRun.values()];
}

function rowOf(cases: readonly [SteeringCase, ...SteeringCase[]]): SteeringRow {
  const [{ detector, model, channel }] = cases;
  const judged = cases.filter(({ failed }) => failed !== null);
  const untold = judged.filter(({ told }) => !told);
  const told = judged.filter((one) => one.told);
  const p = shareOfFailed(untold);
  const failsWhenTold = shareOfFailed(told);
  const unjudged = cases.length - judged.length;
  const counts = { cases: cases.length, unjudged, untold: untold.length, told: told.length };
  const effect = effectOf(p, failsWhenTold);
  const verdict = judge(judged.length, p, failsWhenTold);
  return { detector, model, channel, ...counts, p, failsWhenTold, ...effect, verdict };
}

function shareOfFailed(cases: readonly SteeringCase[]): Share | null {
  const failed = cases.filter((one) => one.failed === true).length;
  const interval = wilsonInterval(failed, cases.length);
  return interval === undefined ? null : { share: failed / cases.length, ...interval };
}

function effectOf(p: Share | null, whenTold: Share | null): Pick<SteeringRow, 'r' | 'd' | 'pStar'> {
  if (p === null || whenTold === null) return { r: null, d: null, pStar: null };
  const saved = p.share - whenTold.share;
  const r = p.share === 0 ? 0 : Math.max(0, saved / p.share);
  const d = p.share === 1 ? 0 : Math.max(0, -saved / (1 - p.share));
  return { r, d, pStar: r + d === 0 ? null : d / (r + d) };
}

/** The bounds of both shares must not overlap. */
function judge(cases: number, p: Share | null, whenTold: Share | null): SteeringVerdict {
  if (cases < CASES_MIN) return 'too-few-cases';
  if (p === null || whenTold === null) return 'not-tried';
  if (whenTold.high < p.low) return 'pays';
  return whenTold.low > p.high ? 'does-not-pay' : 'unclear';
}
