/**
 * Whether a detector in the mode `auto` may speak. It speaks only while the numbers of earlier runs say that a message
 * pays, and it watches again as soon as they do not.
 */
import type { DetectorName, SteeringMode } from '../protocol/contracts/steering-contract.ts';
import { DETECTORS } from '../protocol/contracts/steering-contract.ts';
import type { SteeringChannel, SteeringRow } from '../reports/steering-report.ts';
import type { Check } from './check.ts';
import type { SteeringPolicy } from './steering-policy.ts';

/** The numbers of another model or another channel say nothing about this one. */
export type PromotionPlace = { readonly model: string; readonly channel: SteeringChannel };

/** Pure. `rows`: the numbers of earlier runs. */
export function promotedMode(
  rows: readonly SteeringRow[],
  detector: DetectorName,
  { model, channel }: PromotionPlace,
): Exclude<SteeringMode, 'off' | 'auto'> {
  const row = rows.find(
    (one) => one.detector === detector && one.model === model && one.channel === channel,
  );
  return row?.verdict === 'pays' ? 'steer' : 'shadow';
}

/** Whether the numbers matter for this check. Reading them is expensive, and few checks find anything. */
export function needsNumbers(check: Check | null, { modes }: SteeringPolicy): boolean {
  return check?.found.some(({ anomaly }) => modes[anomaly.detector] === 'auto') === true;
}

/** The policy in which the numbers have decided. */
export function withNumbers(
  policy: SteeringPolicy,
  rows: readonly SteeringRow[],
  place: PromotionPlace,
): SteeringPolicy {
  const decided = DETECTORS.map((detector) => {
    const mode = policy.modes[detector];
    return [detector, mode === 'auto' ? promotedMode(rows, detector, place) : mode];
  });
  return { ...policy, modes: Object.fromEntries(decided) as SteeringPolicy['modes'] };
}
