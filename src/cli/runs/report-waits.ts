/** Says why a run that is left to itself does not continue, and what to type. */
import { isRefusal } from '../../base/errors.ts';
import { adviceToAnswerRun } from '../../protocol/views/question-words.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Client } from '../../client/client.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

/** Printed to standard error, so that standard output contains only the id. */
export async function reportWaits(context: CliContext, client: Client, run: string): Promise<void> {
  try {
    const lacks = await client.lacks(run);
    for (const line of describeWaits(await client.run(run), lacks))
      context.err(`${paint(context, 'yellow', printable(line))}\n`);
  } catch (error) {
    // The run is recorded, so the command has succeeded, even if the owner died before it answered this.
    if (!isRefusal(error)) throw error;
  }
}

/** Warns if the budget of a new run does not pay for its first call, so that it does not ask at night. */
export async function warnOfSmallBudget(
  context: CliContext,
  client: Client,
  run: string,
): Promise<void> {
  const words = await client.smallBudget(run).catch((error: unknown) => {
    if (isRefusal(error)) return null; // the run is recorded, and the owner died
    throw error;
  });
  if (words !== null) context.err(paint(context, 'yellow', `Note: ${printable(words)}\n`));
}

/** `lacks`: what keeps its agents from their model. */
export function describeWaits(view: RunView, lacks: string | null): readonly string[] {
  const { id, outcome, open, budget } = view;
  const asked = open.find(({ command, about }) => command === 'ask' && about !== 'keys');
  if (asked !== undefined) {
    const advice = adviceToAnswerRun(view);
    return [`The run asks: ${asked.question ?? ''}`, ...(advice === null ? [] : [advice])];
  }
  if (lacks !== null) return [lacks];
  if (budget.over === null || outcome !== null) return [];
  return [`The run is about to ask about its budget. See the question with: supervisor why ${id}`];
}
