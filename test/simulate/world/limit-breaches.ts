import type { Limit } from '../../../src/engine/limits.ts';
import type { Process, WorldRecord } from './record.ts';

/** Where more was alive at once, or more had started within a window, than a limit allows. */
export function limitBreaches({ processes, limits }: WorldRecord): readonly string[] {
  return processes.flatMap((process) =>
    process.limits.flatMap((key) => {
      const limit = limits.find((one) => covers(one, key));
      if (limit === undefined) return [];
      const elders = processes.filter(
        (other) => other.bornOrder <= process.bornOrder && other.limits.includes(key),
      );
      return [...tooMany(limit, key, process, elders), ...tooOften(limit, key, process, elders)];
    }),
  );
}

function covers(limit: Limit, key: string): boolean {
  return limit.key.endsWith('*') ? key.startsWith(limit.key.slice(0, -1)) : limit.key === key;
}

function tooMany(
  { concurrencyMax = Infinity, countsRuns = false }: Limit,
  key: string,
  { bornOrder, run }: Process,
  elders: readonly Process[],
): readonly string[] {
  const living = elders.filter(({ diedOrder }) => (diedOrder ?? Infinity) > bornOrder);
  const alive = countsRuns ? new Set(living.map((one) => one.run)).size : living.length;
  return alive <= concurrencyMax
    ? []
    : [`${alive} of ${key} are alive when one of run ${run} starts, ${concurrencyMax} may be`];
}

/** Only within one era of the clock: a rate is kept on the wall clock, which may be set. */
function tooOften(
  { rate }: Limit,
  key: string,
  { startedMs, era, run, owner }: Process,
  elders: readonly Process[],
): readonly string[] {
  if (rate === undefined) return [];
  const { startsMax, perMs } = rate;
  // Of another owner's starts, an owner knows only the recorded ones.
  const whenOf = (other: Process): number =>
    other.owner === owner ? other.startedMs : Math.min(other.startedMs, other.begunMs);
  const recent = elders.filter(
    (other) => other.era === era && startedMs - whenOf(other) < perMs,
  ).length;
  return recent <= startsMax
    ? []
    : [`${recent} of ${key} started within ${perMs} ms, the last in run ${run}; ${startsMax} may`];
}
