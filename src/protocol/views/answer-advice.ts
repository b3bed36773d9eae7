/** What a person types so that a run that asks something continues. */
import type { BudgetView } from './budget-view.ts';
import type { RunView } from './run-view.ts';

export type AskedQuestion = {
  /** The valid answers. Empty: any text is valid. */
  readonly choices?: readonly string[] | undefined;
  /** The run lacks a key. */
  readonly about?: 'keys' | undefined;
  /** For a question about a budget in US dollars: the amount by which `continue` raises it. */
  readonly raiseUsd?: number | undefined;
};

export function adviceToAnswer(
  run: string,
  { choices = [], about, raiseUsd }: AskedQuestion,
): string {
  if (about === 'keys') return `From a shell that has the key, run: supervisor resume ${run}`;
  if (raiseUsd !== undefined)
    return `Raise the budget by $${raiseUsd}, or by another amount, with: supervisor answer ${run} continue --budget-usd ${raiseUsd}. Or end the run with: supervisor answer ${run} stop`;
  const answers = choices.length === 0 ? '"…"' : choices.join(' | ');
  return `Answer the question with: supervisor answer ${run} ${answers}`;
}

/** Null: the run asks nothing. */
export function adviceToAnswerRun({
  id,
  open,
  budget: { over },
}: Pick<RunView, 'id' | 'open' | 'budget'>): string | null {
  const asked = open.find(({ command }) => command === 'ask');
  if (asked === undefined) return null;
  const raiseUsd = over?.question === asked.key ? usdRaise(over) : undefined;
  return adviceToAnswer(id, { ...asked, raiseUsd });
}

/** Undefined: the question is not about a budget in US dollars that is spent. */
export function usdRaise({
  limit,
  because,
  cap,
}: Pick<NonNullable<BudgetView['over']>, 'limit' | 'because' | 'cap'>): number | undefined {
  return limit === 'usd' && because === 'spent' ? cap : undefined;
}
