/**
 * Encodes the memory of the gang monitor. Times are stored as wall-clock instants, because the
 * monotonic clock restarts with each owner.
 */
import type { Clock } from '../../base/clock.ts';
import type { GangFailures } from '../../monitors/gang-failures.ts';
import { GangRecord } from '../../protocol/monitor-record.ts';
import type { Codec } from './monitor-memory.ts';

export type GangMemoryRecord = {
  readonly gang: GangFailures;
  /** How many had failed when no agent was alive to ask about it. */
  readonly unasked: number;
};

export function gangCodec(clock: Pick<Clock, 'now' | 'elapsedMs'>): Codec<GangMemoryRecord> {
  const toInstant = (ms: number): number => Math.round(clock.now() - (clock.elapsedMs() - ms));
  const toElapsed = (instant: number): number =>
    clock.elapsedMs() - Math.max(0, clock.now() - instant);
  return {
    write: ({ gang: { failures, saidMs }, unasked }): GangRecord => ({
      failures: mapValues(failures, toInstant),
      saidAt: saidMs === null ? null : toInstant(saidMs),
      unasked,
    }),
    read: (written) => {
      const { data } = GangRecord.safeParse(written);
      if (data === undefined) return undefined;
      const { failures, saidAt, unasked } = data;
      const saidMs = saidAt === null ? null : toElapsed(saidAt);
      return { gang: { failures: mapValues(failures, toElapsed), saidMs }, unasked };
    },
  };
}

function mapValues(
  times: Readonly<Record<string, number>>,
  convert: (moment: number) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(times).map(([run, ms]) => [run, convert(ms)]));
}
