/** Commits the work of an attempt after its agent has ended, and records the commit. */
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { CommandContext } from '../engine/performer.ts';
import { withDeadline } from './in-time.ts';
import type { AttemptEnvironment, CommittedTree } from './environments/environment.ts';
import { describeRefusal, refusalOr } from './refusal-outcome.ts';

/** Null: the agent worked in the project itself, or its work could not be committed. */
export async function commitRunWork(
  { commitWork }: Pick<AttemptEnvironment, 'commitWork'>,
  context: CommandContext<'attempt'>,
  clock: Clock,
): Promise<CommittedTree | null> {
  const committed = await refusalOr(withDeadline((late) => commitWork(late), context, clock));
  if (committed instanceof Refusal) {
    await context.note({ kind: 'not-committed', message: describeRefusal(committed) });
    return null;
  }
  if (committed !== null) await context.note(committed.note);
  return committed;
}
