/**
 * Progress that no tool call shows, such as a script that changes files. Reading a work tree is expensive, so it is read
 * only if an anomaly is likely, and once more before the anomaly counts.
 */
import type { DetectorName } from '../protocol/contracts/steering-contract.ts';
import type { Check } from './check.ts';
import type { Thresholds } from './steering-policy.ts';
import type { WatchHistory } from './watch-history.ts';

const RESTS_ON_TREE: ReadonlySet<DetectorName> = new Set([
  'stall',
  'completion-stall',
  'stagnation',
  'pace-emergency',
]);

/** Whether the tree should be read now, to have something to compare with later. */
export function isSuspect(
  { nothingNew, successes }: WatchHistory,
  thresholds: Thresholds,
): boolean {
  return (
    nothingNew >= thresholds['stall.turns'] / 2 ||
    successes.length >= thresholds['stagnation.calls'] / 2
  );
}

/** Whether an anomaly is wrong if the tree has changed. */
export function restsOnTree(check: Check | null): boolean {
  return check?.found.some(({ anomaly }) => RESTS_ON_TREE.has(anomaly.detector)) === true;
}
