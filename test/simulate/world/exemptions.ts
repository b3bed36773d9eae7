import type { FaultRecord } from './record.ts';

export const SLACK_MS = 100;

/** The latest time at which a due event is expected, given the faults that delayed it. */
export function afterFaults(troubles: readonly FaultRecord[], dueMs: number): number {
  let readyMs = dueMs;
  for (const { fromMs, toMs } of troubles.toSorted((a, b) => a.fromMs - b.fromMs))
    if (fromMs <= readyMs + SLACK_MS) readyMs = Math.max(readyMs, toMs);
  return readyMs;
}
