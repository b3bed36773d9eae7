/**
 * Thresholds that healthy runs of this home have taught: what a model does in nine of ten runs that succeeded is no
 * anomaly. They only rise, because a false message costs more than a missed one, and never above a ceiling.
 */
import type { TaskDomain } from '../protocol/contracts/organization-contract.ts';
import type { DetectorName } from '../protocol/contracts/steering-contract.ts';
import { THRESHOLDS } from '../protocol/contracts/steering-contract.ts';
import type { TurnRecord } from '../protocol/turn.ts';
import type { Check } from './check.ts';
import { longestLoop } from './detectors/loop.ts';
import { longestStagnation } from './detectors/stagnation.ts';
import type { SteeringPolicy, Thresholds } from './steering-policy.ts';
import type { DomainCounts } from './task-domain.ts';
import { countDomain, mainDomain } from './task-domain.ts';
import type { WatchHistory } from './watch-history.ts';
import { foldTurn, NO_HISTORY } from './watch-history.ts';

const LEARNED = {
  'stall.turns': 'stall',
  'stagnation.calls': 'stagnation',
  'loop.repeats': 'loop',
} as const satisfies Partial<Record<keyof Thresholds, DetectorName>>;
type LearnedName = keyof typeof LEARNED;
const NAMES = Object.keys(LEARNED) as readonly LearnedName[];

/** The most that one healthy conversation showed of each. */
export type HealthyPeak = {
  readonly model: string;
  /** The work that most of its turns show. Null: none of them says. */
  readonly domain: TaskDomain | null;
  readonly peaks: Readonly<Record<LearnedName, number>>;
};

const SHARE = 0.9;
const RUNS_MIN = 50;
/** However patient the healthy runs were. */
const CEILING = 3;

type Watched = Pick<HealthyPeak, 'model' | 'peaks'> & {
  readonly history: WatchHistory;
  readonly domains: DomainCounts;
};
/** By attempt and conversation. */
export type HealthyFold = ReadonlyMap<string, Watched>;
export const NO_PEAKS: HealthyFold = new Map();

export function foldPeaks(fold: HealthyFold, attempt: string, turn: TurnRecord): HealthyFold {
  const key = `${attempt} ${turn.conversation}`;
  const { history: before = NO_HISTORY, domains = {}, peaks } = fold.get(key) ?? {};
  const history = foldTurn(before, turn);
  const now = peaksOf(history);
  const highest = NAMES.map((name) => [name, Math.max(now[name], peaks?.[name] ?? 0)]);
  return new Map(fold).set(key, {
    ...{ history, domains: countDomain(domains, turn), model: turn.model },
    peaks: Object.fromEntries(highest) as HealthyPeak['peaks'],
  });
}

export function healthyPeaks(fold: HealthyFold): readonly HealthyPeak[] {
  return [...fold.values()].map(({ model, domains, peaks }) => ({
    ...{ model, peaks },
    domain: mainDomain(domains),
  }));
}

function peaksOf(history: WatchHistory): HealthyPeak['peaks'] {
  return {
    'stall.turns': history.nothingNew,
    'stagnation.calls': longestStagnation(history).length,
    'loop.repeats': longestLoop(history).length,
  };
}

/** Whether learned thresholds matter for this check. Reading earlier runs is expensive, and few checks find anything. */
export function needsLearned(check: Check | null, { chosen, learns }: SteeringPolicy): boolean {
  if (!learns) return false;
  const names = NAMES.filter((name) => !chosen.includes(name));
  return (
    check?.found.some(({ anomaly }) => names.some((name) => LEARNED[name] === anomaly.detector)) ===
    true
  );
}

/** The policy with what was learned about this model, and about this work if there are enough runs of it. */
export function withLearned(
  policy: SteeringPolicy,
  healthy: readonly HealthyPeak[],
  { model, domain }: Pick<HealthyPeak, 'model' | 'domain'>,
): SteeringPolicy {
  if (!policy.learns) return policy;
  const ofModel = healthy.filter((one) => one.model === model);
  const ofWork = ofModel.filter((one) => one.domain === domain);
  const peaks = ofWork.length >= RUNS_MIN ? ofWork : ofModel;
  if (peaks.length < RUNS_MIN) return policy;
  const learned = NAMES.filter((name) => !policy.chosen.includes(name)).map((name) => [
    name,
    learnedLimit(
      name,
      peaks.map((one) => one.peaks[name]),
    ),
  ]);
  return { ...policy, thresholds: { ...policy.thresholds, ...Object.fromEntries(learned) } };
}

/** One more than the ninetieth percentile. The default is the floor. */
function learnedLimit(name: LearnedName, peaks: readonly number[]): number {
  const { initial, most } = THRESHOLDS[name];
  const sorted = peaks.toSorted((one, other) => one - other);
  const usual = sorted[Math.ceil(SHARE * sorted.length) - 1] ?? 0;
  return Math.min(most, CEILING * initial, Math.max(initial, usual + 1));
}
