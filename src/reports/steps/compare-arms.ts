/** Compares the two arms of a comparison pair by pair: the same task once with the step and once without it. */
import type { Arm, TrialResult } from '../../protocol/ablation.ts';

export type ArmTotals = {
  readonly trials: number;
  readonly solved: number;
  /** Null: a trial has no known count. */
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly durationMs: number;
};

export type ArmComparison = {
  /** Complete pairs, both trials of which have a verdict. */
  readonly pairs: number;
  /** Pairs that only the arm with the step solved, and only the arm without it. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** Pairs in which a trial has no verdict. They count for nothing. */
  readonly voidPairs: number;
  /** How likely so uneven a result is if the step changes nothing. Null: no pair differs. */
  readonly pValue: number | null;
  /** Of the complete pairs. */
  readonly arms: Readonly<Record<Arm, ArmTotals>>;
};

type Pair = Readonly<Record<Arm, TrialResult>>;

export function compareArms(results: readonly TrialResult[]): ArmComparison {
  const byPair = Map.groupBy(results, ({ task, round }) => `${task} ${round}`);
  const complete: Pair[] = [];
  let voidPairs = 0;
  for (const trials of byPair.values()) {
    const isVoid = trials.some(({ verdict }) => verdict === 'void');
    if (isVoid) voidPairs += 1;
    const one = trials.find(({ arm }) => arm === 'with');
    const other = trials.find(({ arm }) => arm === 'without');
    if (!isVoid && one !== undefined && other !== undefined)
      complete.push({ with: one, without: other });
  }
  const wins = complete.filter((pair) => isSolved(pair.with) && !isSolved(pair.without)).length;
  const losses = complete.filter((pair) => !isSolved(pair.with) && isSolved(pair.without)).length;
  return {
    pairs: complete.length,
    wins,
    losses,
    ties: complete.length - wins - losses,
    voidPairs,
    pValue: mcNemarExact(wins, losses),
    arms: {
      with: totals(complete.map((pair) => pair.with)),
      without: totals(complete.map((pair) => pair.without)),
    },
  };
}

function isSolved({ verdict }: TrialResult): boolean {
  return verdict === 'solved';
}

function totals(trials: readonly TrialResult[]): ArmTotals {
  return {
    trials: trials.length,
    solved: trials.filter(isSolved).length,
    tokens: sumKnown(trials.map(({ tokens }) => tokens)),
    costUsd: sumKnown(trials.map(({ costUsd }) => costUsd)),
    durationMs: trials.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

/** Null if one of them is not known: a sum without it would favour that arm. */
function sumKnown(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>(
    (sum, value) => (sum === null || value === null ? null : sum + value),
    0,
  );
}

/**
 * McNemar's exact test, two-sided: if the step changes nothing, each pair that differs is a toss of a fair coin. Null: no
 * pair differs.
 */
export function mcNemarExact(wins: number, losses: number): number | null {
  const differing = wins + losses;
  if (differing === 0) return null;
  let ways = 1;
  let tail = 0;
  for (let heads = 0; heads <= Math.min(wins, losses); heads += 1) {
    tail += ways;
    ways = (ways * (differing - heads)) / (heads + 1);
  }
  return Math.min(1, (2 * tail) / 2 ** differing);
}
