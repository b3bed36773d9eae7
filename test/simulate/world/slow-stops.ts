import { afterFaults, SLACK_MS } from './exemptions.ts';
import type { Fact, Process, WorldRecord } from './record.ts';

/** A command that an agent has claimed is completed first, and has its own bound. */
const GOES_ON: readonly string[] = ['release-item', 'send-message'];

/** Processes that outlived a user's kill, or a user's stop by more than its grace. */
export function slowStops({ facts, processes, troubles }: WorldRecord): readonly string[] {
  return facts.flatMap((fact) => {
    const kind = fact.type === 'signal.received' ? fact.payload.signal.kind : undefined;
    if (kind !== 'stop' && kind !== 'kill') return [];
    return processes
      .filter((process) => isOpenAt(process, fact) && !GOES_ON.includes(process.command))
      .filter(({ diedMs, graceMs }) => {
        const dueMs = afterFaults(troubles, fact.elapsedMs) + (kind === 'kill' ? 0 : graceMs);
        return (diedMs ?? Infinity) > afterFaults(troubles, dueMs) + SLACK_MS;
      })
      .map(({ run, key }) => `run ${run}: ${key} outlived a ${kind}`);
  });
}

function isOpenAt({ run, startedMs, diedMs }: Process, { stream, elapsedMs }: Fact): boolean {
  return stream === `run/${run}` && startedMs <= elapsedMs && (diedMs ?? Infinity) >= elapsedMs;
}
