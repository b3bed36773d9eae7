/**
 * What a run has spent, which of its budgets stopped it, and how far a person has raised them:
 * folded from the notes of its attempts and the answers in its stream, so that it holds across owners.
 */
import { z } from 'zod';
import type { Note } from '../commands.ts';
import type { RunEvent } from '../event.ts';

export const BUDGET_SCOPES = ['run', 'project', 'tree'] as const;
export const BUDGET_LIMITS = ['tokens', 'usd', 'calls', 'wall'] as const;

const amount = z.number().nonnegative();

const Spent = z.strictObject({ tokens: amount, usd: amount, calls: amount });
type Spent = z.infer<typeof Spent>;

const NOTHING: Spent = { tokens: 0, usd: 0, calls: 0 };

/** What a call that is under way may cost, by the command that makes it. */
const Held = z.strictObject({
  key: z.string(),
  call: z.number().int(),
  tokens: amount,
  usd: amount,
});

const BudgetRaise = z.strictObject({ tokens: amount, usd: amount, calls: amount, wall: amount });
export type BudgetRaise = z.infer<typeof BudgetRaise>;

export const BudgetView = z.strictObject({
  /** All of it; `assumed` and `before` are parts of this. */
  spent: Spent,
  /** Calls that are under way. A command that ends without a word of them has spent what they held. */
  held: z.array(Held).default([]),
  /** What was spent at most, by calls that were under way when their owner died. */
  assumed: Spent.default(NOTHING),
  /** What was spent, and how long it took, by the runs that this one goes on from. */
  before: z.strictObject({ ...Spent.shape, wallMs: amount }).default({ ...NOTHING, wallMs: 0 }),
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
  raised: z.strictObject({ run: BudgetRaise, project: BudgetRaise, tree: BudgetRaise }),
  /** A person has said that models without a price may be used as well. */
  unpriced: z.boolean(),
});
export type BudgetView = z.infer<typeof BudgetView>;

/** Whether an answer lets a run go on which a budget has stopped. */
export function isContinueAnswer(answer: string): boolean {
  return ['continue', 'yes', 'y'].includes(answer.trim().toLowerCase());
}

const NO_RAISE: BudgetRaise = { tokens: 0, usd: 0, calls: 0, wall: 0 };

export const NO_BUDGET_SPENT: BudgetView = {
  spent: NOTHING,
  held: [],
  assumed: NOTHING,
  before: { ...NOTHING, wallMs: 0 },
  over: null,
  raised: { run: NO_RAISE, project: NO_RAISE, tree: NO_RAISE },
  unpriced: false,
};

/** The notes of an attempt about money. What a call may cost is noted before it, what it cost after it. */
export type BudgetNote =
  | ({ readonly kind: 'reserved' } & Omit<BudgetView['held'][number], 'key'>)
  | ({
      readonly kind: 'spent';
      /** The calls that are over, also those that cost nothing. */
      readonly settled: readonly number[];
      /** Absent: the two kinds of tokens are not known. */
      readonly inputTokens?: number;
      readonly outputTokens?: number;
      /** How many calls have no known price. */
      readonly unpriced?: number;
    } & Spent)
  | ({ readonly kind: 'over-budget' } & Omit<NonNullable<BudgetView['over']>, 'since'>);

function isAboutBudget(note: Note<'attempt'>): note is BudgetNote {
  return note.kind === 'reserved' || note.kind === 'spent' || note.kind === 'over-budget';
}

export function foldBudget(view: BudgetView, event: RunEvent): BudgetView {
  if (event.type === 'command.noted') {
    const { key, command, note } = event.payload;
    return command === 'attempt' && isAboutBudget(note) ? noted(view, key, note, event.at) : view;
  }
  if (event.type === 'command.ended') {
    const { key } = event.payload;
    return assume(view, (held) => held.key === key);
  }
  if (event.type !== 'signal.received') return view;
  const { signal } = event.payload;
  if (signal.kind !== 'answer' || !isContinueAnswer(signal.answer) || view.over === null)
    return view;
  return raisedBy(view, view.over, signal.budgetUsd, event.at);
}

/** What a run begins with that goes on from another one, whose view this is: money that is spent stays so. */
export function continuesFrom(
  {
    submittedAt,
    endedAt,
    budget,
  }: { submittedAt: number; endedAt: number | null; budget: BudgetView },
  at: number,
): BudgetView {
  const { spent, before, over, ...rest } = assume(budget, () => true);
  // While it waited for an answer, and once it had ended, no time was spent.
  const until = over?.since ?? endedAt ?? at;
  return {
    ...rest,
    spent,
    before: { ...spent, wallMs: before.wallMs + Math.max(0, until - submittedAt) },
    over: over === null ? null : { ...over, since: at },
    // The project is the same, and what was allowed it is told by the run that was asked.
    raised: { ...rest.raised, project: NO_RAISE },
  };
}

/** Nobody will say what these did cost: each counts as what it held. */
function assume(
  view: BudgetView,
  isOver: (held: BudgetView['held'][number]) => boolean,
): BudgetView {
  if (view.held.length === 0) return view;
  const lost = view.held.filter(isOver).map((held) => ({ ...held, calls: 1 }));
  return {
    ...view,
    held: view.held.filter((held) => !isOver(held)),
    spent: lost.reduce(sum, view.spent),
    assumed: lost.reduce(sum, view.assumed),
  };
}

function sum(a: Spent, b: Spent): Spent {
  return { tokens: a.tokens + b.tokens, usd: a.usd + b.usd, calls: a.calls + b.calls };
}

function noted(view: BudgetView, key: string, note: BudgetNote, at: number): BudgetView {
  if (note.kind === 'reserved') {
    const { call, tokens, usd } = note;
    return { ...view, held: [...view.held, { key, call, tokens, usd }] };
  }
  if (note.kind === 'over-budget') {
    const { scope, limit, because, cap } = note;
    return { ...view, over: { scope, limit, because, cap, since: at } };
  }
  const held = view.held.filter((one) => one.key !== key || !note.settled.includes(one.call));
  return { ...view, held, spent: sum(view.spent, note) };
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
