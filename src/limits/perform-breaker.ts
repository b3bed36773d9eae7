/** Performs `update-breaker`. A full disk delays it: a failure that is not on record lets other runs try the step. */
import type { Clock } from '../base/clock.ts';
import { retryWhileDiskFull } from '../base/retry-while-disk-full.ts';
import type { Performer } from '../engine/performer.ts';
import type { BreakerStore } from './breaker-store.ts';

export function breakerPerformer(
  breakers: Pick<BreakerStore, 'update'>,
  clock: Clock,
): Performer<'update-breaker'> {
  return {
    command: 'update-breaker',
    perform: ({ run, input }, { cancelSignal }) =>
      retryWhileDiskFull(clock, cancelSignal, () => breakers.update(run, input)),
  };
}
