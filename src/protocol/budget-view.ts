/**
 * What a run has spent, which of its budgets stopped it, and how far a person has raised them:
 * folded from the notes of its attempts and the answers in its stream, so that it holds across owners.
 */
import { z } from 'zod';
import type { StoredEvent } from './event.ts';

export const BUDGET_SCOPES = ['run', 'project', 'tree'] as const;
export const BUDGET_LIMITS = ['tokens', 'usd', 'calls', 'wall'] as const;

const amount = z.number().nonnegative();

const Raise = z.strictObject({ tokens: amount, usd: amount, calls: amount, wall: amount });
export type Raise = z.infer<typeof Raise>;

export const BudgetView = z.strictObject({
  spent: z.strictObject({ tokens: amount, usd: amount, calls: amount }),
  /** The budget that ended the last attempt, until somebody lets it go on. */
  over: z
    .strictObject({
      scope: z.enum(BUDGET_SCOPES),
      limit: z.enum(BUDGET_LIMITS),
      /** `price-unknown`: money is capped, and nobody knows what the model costs. */
      because: z.enum(['spent', 'price-unknown']),
      /** The cap as it was configured; for a time in milliseconds. */
      cap: amount,
      since: z.number(),
    })
    .nullable(),
  /** By how much more than configured may be spent, since a person said so. */
  raised: z.strictObject({ run: Raise, project: Raise, tree: Raise }),
  /** A person has said that models without a price may be used as well. */
  unpriced: z.boolean(),
});
export type BudgetView = z.infer<typeof BudgetView>;

/** Whether an answer lets a run go on which a budget has stopped. */
export function isContinue(answer: string): boolean {
  return ['continue', 'yes', 'y'].includes(answer.trim().toLowerCase());
}

const NO_RAISE: Raise = { tokens: 0, usd: 0, calls: 0, wall: 0 };

export const NO_BUDGET_SPENT: BudgetView = {
  spent: { tokens: 0, usd: 0, calls: 0 },
  over: null,
  raised: { run: NO_RAISE, project: NO_RAISE, tree: NO_RAISE },
  unpriced: false,
};

/** The notes of an attempt about money. What an attempt spends is noted call by call, each only once. */
const BudgetNote = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('spent'),
    tokens: amount,
    usd: amount,
    calls: amount,
    /** Older releases did not tell these: the two kinds of tokens, and how many calls have no known price. */
    inputTokens: amount.exactOptional(),
    outputTokens: amount.exactOptional(),
    unpriced: amount.exactOptional(),
  }),
  z.object({
    kind: z.literal('over-budget'),
    ...BudgetView.shape.over.unwrap().omit({ since: true }).shape,
  }),
]);
export type BudgetNote = z.infer<typeof BudgetNote>;

export function foldBudget(view: BudgetView, event: StoredEvent): BudgetView {
  if (event.type === 'command.noted') {
    const { note } = event.payload;
    // Most notes are about other things, and parsing those as well would be felt in long runs.
    if (note['kind'] !== 'spent' && note['kind'] !== 'over-budget') return view;
    const read = BudgetNote.safeParse(note);
    return read.success ? noted(view, read.data, event.at) : view;
  }
  if (event.type !== 'signal.received') return view;
  const { signal } = event.payload;
  if (signal.kind !== 'answer' || !isContinue(signal.answer) || view.over === null) return view;
  return raisedBy(view, view.over, signal.budgetUsd, event.at);
}

function noted(view: BudgetView, note: BudgetNote, at: number): BudgetView {
  if (note.kind === 'over-budget') {
    const { scope, limit, because, cap } = note;
    return { ...view, over: { scope, limit, because, cap, since: at } };
  }
  const { tokens, usd, calls } = view.spent;
  return {
    ...view,
    spent: { tokens: tokens + note.tokens, usd: usd + note.usd, calls: calls + note.calls },
  };
}

/** By as much again as was configured, unless the person named another sum. */
function raisedBy(
  view: BudgetView,
  { scope, limit, because, cap, since }: NonNullable<BudgetView['over']>,
  usd: number | undefined,
  at: number,
): BudgetView {
  if (because === 'price-unknown') return { ...view, over: null, unpriced: true };
  const before = view.raised[scope];
  // Time goes by while it waits for the answer: that is not charged to it.
  const by = { usd: usd ?? cap, wall: cap + (at - since), tokens: cap, calls: cap }[limit];
  const raise = { ...before, [limit]: before[limit] + by };
  return { ...view, over: null, raised: { ...view.raised, [scope]: raise } };
}
