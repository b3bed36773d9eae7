/** What follows an agent's end: its work is kept, and only then the outcome may say so. */
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { CommandContext } from '../engine/performer.ts';
import { withDeadline } from './in-time.ts';
import type { AttemptEnvironment, CommittedTree } from './environments/environment.ts';
import { describeRefusal, refusalOr } from './refusal-outcome.ts';

/** Null where the work was done in the project itself, or could not be kept. */
export async function commitRunWork(
  { commitWork }: Pick<AttemptEnvironment, 'commitWork'>,
  errand: CommandContext<'attempt'>,
  clock: Clock,
): Promise<CommittedTree | null> {
  const kept = await refusalOr(withDeadline((late) => commitWork(late), errand, clock));
  if (kept instanceof Refusal) {
    await errand.note({ kind: 'not-kept', message: describeRefusal(kept) });
    return null;
  }
  if (kept !== null) await errand.note(kept.note);
  return kept;
}
