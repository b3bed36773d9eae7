/** Simulates many seeds, and collects the decisions they reached and the invariants that broke. */
import { createHash } from 'node:crypto';
import type { DecisionCount } from './world/decisions.ts';
import { countDecisions } from './world/decisions.ts';
import { explain, simulate } from './world/simulate.ts';

export type Failure = {
  readonly seed: number;
  readonly invariant: string;
  readonly says: string;
  readonly story: readonly string[];
};

export type Exploration = {
  readonly from: number;
  readonly seeds: number;
  /** A hash over all traces. */
  readonly hash: string;
  readonly failures: readonly Failure[];
  readonly reached: DecisionCount;
};

/**
 * Ends early at `failuresMax`: a few failing worlds show as much as many. Skips worlds that are not
 * wanted.
 */
export async function explore(
  from: number,
  seeds: number,
  failuresMax: number,
  isWanted: (seed: number) => boolean = () => true,
): Promise<Exploration> {
  const hash = createHash('sha256');
  const failures: Failure[] = [];
  const reached: DecisionCount = new Map();
  let played = 0;
  while (played < seeds && failures.length < failuresMax) {
    const seed = from + played;
    played += 1;
    if (!isWanted(seed)) continue;
    const simulation = await simulate(seed);
    hash.update(simulation.hash);
    countDecisions(reached, simulation.record);
    const [breach] = simulation.breaches;
    if (breach !== undefined) failures.push({ seed, ...breach, story: explain(simulation) });
  }
  return { from, seeds: played, hash: hash.digest('hex').slice(0, 16), failures, reached };
}
