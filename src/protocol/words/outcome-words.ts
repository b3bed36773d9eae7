/** Without a schema, so that a screen can start with it. */
import type { RunOutcome } from '../outcome.ts';

/** Such as `failed: gate test failed: adds`. If a user stopped the run, the reason alone says so. */
export function describeOutcome({ kind, reason }: RunOutcome): string {
  if (reason === '') return kind;
  const isStop = kind === 'cancelled' || kind === 'killed';
  return isStop && reason.startsWith('stopped ') ? reason : `${kind}: ${reason}`;
}
