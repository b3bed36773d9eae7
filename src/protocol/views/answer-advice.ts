/** What a person types so that a run that asks something continues. */
import type { ApprovalView } from './approval-view.ts';
import type { BudgetView } from './budget-view.ts';
import { usualRaise } from './budget-view.ts';

export type AskedQuestion = {
  readonly question?: string | undefined;
  /** The valid answers. Empty: any text is valid. */
  readonly choices?: readonly string[] | undefined;
  /** The run lacks a key. */
  readonly about?: 'keys' | undefined;
  /** A step of a workflow waits for an approval of this. */
  readonly approval?: ApprovalView | undefined;
  /** The person may change the work instead. */
  readonly editable?: string | undefined;
  /** For a question about a spent budget: by how much `continue` raises it. */
  readonly raise?: NamedRaise | undefined;
};

/** An amount that a person may also name, with `--budget-usd` or `--budget-tokens`. */
export type NamedRaise = { readonly limit: 'usd' | 'tokens'; readonly by: number };

/** With this a question about keys says what to do, for a reader who sees only the question. */
const KEYS_ADVICE =
  /(?:From a shell that has (?:it|them), run|Then run): supervisor resume [0-9a-f]+$/;

export const SET_KEY = 'Set it, or log in, and run the command again from that shell.';

/** Why an agent did not start, for a reader whose run continues with another agent, or asks for the key by itself. */
export function withoutRemedy(message: string): string {
  return withoutAdvice(message).replace(SET_KEY, '').trimEnd();
}

/** The question, for a reader who also sees what to do. */
export function withoutAdvice(question: string): string {
  return question.replace(KEYS_ADVICE, '').trimEnd();
}

export function adviceToAnswer(
  run: string,
  { question = '', choices = [], about, approval, editable, raise }: AskedQuestion,
): string {
  if (about === 'keys')
    return (
      KEYS_ADVICE.exec(question)?.[0] ??
      `From a shell that has what it needs, run: supervisor resume ${run}`
    );
  if (raise !== undefined) {
    const { limit, by } = raise;
    const amount =
      limit === 'usd' ? `$${by}, or by another amount` : `${by} tokens, or by another number`;
    return `Raise the budget by ${amount}, with: supervisor answer ${run} continue ${budgetOption(limit)} ${by}. Or end the run with: supervisor answer ${run} stop`;
  }
  if (approval !== undefined) return adviceToApprove(run, approval);
  const [first] = choices;
  if (first === undefined) return `Answer the question with: supervisor answer ${run} "…"`;
  // A line that is copied must be a command that works: a bar between the answers would be a pipe.
  const edit = editable === undefined ? '' : `. Or change the work with: supervisor edit ${run}`;
  return `Answer with one of ${choices.join(', ')}. For example: supervisor answer ${run} ${first}${edit}`;
}

function adviceToApprove(run: string, { needs }: ApprovalView): string {
  const isNamed = needs?.tier === 'high' || needs?.tier === 'critical';
  return `Review the work with: supervisor diff ${run}. Approve it with: supervisor approve ${run}${isNamed ? ' --as NAME' : ''}. Or send it back with: supervisor comment ${run} "…"`;
}

export function budgetOption(limit: NamedRaise['limit']): string {
  return limit === 'usd' ? '--budget-usd' : '--budget-tokens';
}

/** Undefined: no such budget is spent. Budgets in calls and in time are raised by as much again. */
export function namedRaise({
  because,
  ...over
}: Pick<NonNullable<BudgetView['over']>, 'limit' | 'because' | 'cap' | 'needs'>):
  | NamedRaise
  | undefined {
  const { limit } = over;
  if (because !== 'spent' || (limit !== 'usd' && limit !== 'tokens')) return undefined;
  return { limit, by: usualRaise(over) };
}
