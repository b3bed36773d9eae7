import { afterFaults, SLACK_MS } from './exemptions.ts';
import { groupByRun } from './lineage.ts';
import type { Fact, FaultRecord, WorldRecord } from './record.ts';
import type { Era } from './world-clock.ts';

/** Waits that ended too early, or later than any fault can explain. */
export function overdueWaits({ facts, eras, troubles }: WorldRecord): readonly string[] {
  return [...groupByRun(facts)].flatMap(([run, own]) =>
    own.flatMap((begun) => {
      if (begun.type !== 'command.begun' || begun.payload.command !== 'wait') return [];
      const { key, input } = begun.payload;
      const end = own.find((fact) => isTimedOut(fact, key));
      if (end === undefined) return [];
      const { until } = input;
      const dueMs = firstShown(eras, until, begun.elapsedMs);
      const excusedMs = expectedBy(eras, troubles, until, begun.elapsedMs) + SLACK_MS;
      if (end.elapsedMs < dueMs)
        return [`run ${run}: ${key} ended ${dueMs - end.elapsedMs} ms early`];
      return end.elapsedMs <= excusedMs
        ? []
        : [`run ${run}: ${key} ended ${end.elapsedMs - dueMs} ms late`];
    }),
  );
}

function isTimedOut(fact: Fact, key: string): boolean {
  if (fact.type !== 'command.ended' || fact.payload.key !== key) return false;
  const { end } = fact.payload;
  return end.kind === 'done' && Object.keys(end.result).length === 0;
}

/** If the clock was set back while the owner was down, the due time lies in the future again. */
function expectedBy(
  eras: readonly Era[],
  troubles: readonly FaultRecord[],
  until: number,
  fromMs: number,
): number {
  const shownMs = firstShown(eras, until, fromMs);
  const readyMs = afterFaults(troubles, shownMs);
  return readyMs === shownMs ? shownMs : expectedBy(eras, troubles, until, readyMs);
}

/** When the wall clock first showed this instant or a later one, from then on. */
function firstShown(eras: readonly Era[], instant: number, fromMs: number): number {
  for (const [index, era] of eras.entries()) {
    const endMs = eras[index + 1]?.fromMs ?? Infinity;
    const shownMs = Math.max(era.fromMs, fromMs, instant - era.offsetMs);
    if (shownMs < endMs) return shownMs;
  }
  return Infinity;
}
