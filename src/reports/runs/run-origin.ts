/** Where a run that continues another one comes from. */
import type { Payload } from '../../protocol/event.ts';

export type RunOrigin = {
  readonly run: string;
  readonly from: string;
  /** The number of the last attempt of that run. Null: it has none of its own. */
  readonly lastAttempt: number | null;
  readonly at: number;
  /** What the runs before it have spent in US dollars. Null: nothing that is known. */
  readonly spentBefore: number | null;
};

export function runOrigin(
  run: string,
  at: number,
  { from, budget, lastAttempt }: Payload<'run.forked'>,
): RunOrigin {
  const spent = budget?.before.usd ?? 0;
  const spentBefore = spent > 0 ? spent : null;
  return { run, from, lastAttempt: lastAttempt ?? null, at, spentBefore };
}
