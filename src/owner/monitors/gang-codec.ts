/** What the gang monitor remembers of one place, as it is written down: moments as those of the wall, since time that has passed is each owner's own. */
import type { Clock } from '../../base/clock.ts';
import type { GangFailures } from '../../monitors/gang-failures.ts';
import { GangRecord } from '../../protocol/monitor-record.ts';
import type { Codec } from './monitor-memory.ts';

export type GangMemoryRecord = {
  readonly gang: GangFailures;
  /** So many had failed, and nobody could be asked about it yet. */
  readonly unasked: number;
};

export function gangCodec(clock: Pick<Clock, 'now' | 'elapsedMs'>): Codec<GangMemoryRecord> {
  const instantOf = (ms: number): number => Math.round(clock.now() - (clock.elapsedMs() - ms));
  const momentOf = (instant: number): number =>
    clock.elapsedMs() - Math.max(0, clock.now() - instant);
  return {
    write: ({ gang: { failures, saidMs }, unasked }): GangRecord => ({
      failures: mapped(failures, instantOf),
      saidAt: saidMs === null ? null : instantOf(saidMs),
      unasked,
    }),
    read: (written) => {
      const { data } = GangRecord.safeParse(written);
      if (data === undefined) return undefined;
      const { failures, saidAt, unasked } = data;
      const saidMs = saidAt === null ? null : momentOf(saidAt);
      return { gang: { failures: mapped(failures, momentOf), saidMs }, unasked };
    },
  };
}

function mapped(
  moments: Readonly<Record<string, number>>,
  into: (moment: number) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(moments).map(([who, ms]) => [who, into(ms)]));
}
