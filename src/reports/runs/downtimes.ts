/** When no owner ran, from the facts of the owners. A run that was active then stood still. */
import { formatDuration } from '../../base/format-duration.ts';
import type { OwnerEvent } from '../../protocol/event.ts';

export type Downtime = { readonly from: number; readonly to: number };

/** A shorter one is a restart. Besides, the end of an owner that was killed is known to half a minute only. */
const DOWNTIME_MS_MIN = 60_000;

/** In their order. `facts` may contain other facts of the owner's stream. */
export function findDowntimes(facts: readonly OwnerEvent[]): readonly Downtime[] {
  let stoppedAt: number | undefined;
  return facts.flatMap((fact) => {
    const before = stoppedAt;
    stoppedAt = fact.type === 'owner.stopped' ? fact.at : undefined;
    if (fact.type !== 'owner.started') return [];
    // An owner of an older version did not record it, but an orderly stop is a fact of its own.
    const from = fact.payload.aliveAt ?? before;
    return from === undefined || fact.at - from < DOWNTIME_MS_MIN ? [] : [{ from, to: fact.at }];
  });
}

/** Whether a run was active in this time. No run is submitted or ends while no owner runs. */
export function wasActive(
  { from, to }: Downtime,
  { submittedAt, endedAt }: { readonly submittedAt: number; readonly endedAt: number | null },
): boolean {
  return submittedAt <= from && (endedAt === null || endedAt >= to);
}

/** Times are in UTC, as in every recorded text. */
export function describeDowntime({ from, to }: Downtime): string {
  const [begin, end] = [from, to].map((at) => new Date(at).toISOString());
  return `no owner ran from ${begin} to ${end} (${formatDuration(to - from)}), and the run stood still`;
}
