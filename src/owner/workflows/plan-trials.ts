/** The order of the trials of a comparison. The seed decides it, so the same request has the same order. */
import type { Random } from '../../base/random.ts';
import { randomInt } from '../../base/random.ts';
import type { PlannedTrial } from '../../protocol/ablation.ts';
import { ARMS } from '../../protocol/ablation.ts';

/** The pairs in a random order, and in each pair the arms in a random order: a slow hour favours neither arm. */
export function planTrials(tasks: number, rounds: number, random: Random): readonly PlannedTrial[] {
  const pairs = Array.from({ length: tasks * rounds }, (_, nth) => ({
    task: nth % tasks,
    round: Math.floor(nth / tasks) + 1,
  }));
  return shuffled(pairs, random).flatMap((pair) =>
    shuffled(ARMS, random).map((arm) => ({ ...pair, arm })),
  );
}

function shuffled<Item>(items: readonly Item[], random: Random): readonly Item[] {
  const left = [...items];
  const drawn: Item[] = [];
  while (left.length > 0) drawn.push(...left.splice(randomInt(random, 0, left.length - 1), 1));
  return drawn;
}
