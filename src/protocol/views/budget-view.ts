/**
 * The budget of a run: what it has spent, which budget stopped it, and how far a person has raised it.
 * The view is folded from notes and answers in the run's stream, so it survives the owner.
 */
import { z } from 'zod';
import type { ChildSpending } from '../child-run.ts';
import type { CommandEnded, Note } from '../commands.ts';
import type { RunEvent } from '../event.ts';
import { ownSpending } from './own-spending.ts';
import { isContinueAnswer, isMoneyQuestion, readBudgetAnswer } from './money-question.ts';
import { WallTime, foldWallTime, wallSpentMs } from './wall-time.ts';

const BUDGET_SCOPES = ['run', 'project', 'tree'] as const;
export const BUDGET_LIMITS = ['tokens', 'usd', 'calls', 'wall'] as const;

/** The kinds of budgets, for a person. */
export const BUDGET_WORDS = {
  tokens: 'token',
  usd: 'dollar',
  calls: 'call',
  wall: 'time',
} as const;

const amount = z.number().nonnegative();

const Spent = z.strictObject({ tokens: amount, usd: amount, calls: amount });
type Spent = z.infer<typeof Spent>;

const NOTHING: Spent = { tokens: 0, usd: 0, calls: 0 };

/** The maximum cost of an open call, with the command that makes it. */
const Held = z.strictObject({
  key: z.string(),
  call: z.number().int(),
  tokens: amount,
  usd: amount,
  /** The price of its model is unknown, so `usd` says nothing. */
  unpriced: z.literal(true).exactOptional(),
});

const BudgetRaise = z.strictObject({ tokens: amount, usd: amount, calls: amount, wall: amount });
export type BudgetRaise = z.infer<typeof BudgetRaise>;

export const BudgetView = z.strictObject({
  /** The total. `assumed`, `before` and `children` are parts of it. */
  spent: Spent,
  /** Open calls. If a command ends and does not report their cost, they count with their maximum cost. */
  held: z.array(Held),
  /** The maximum cost of its own calls that were open when their owner died. */
  assumed: Spent,
  /** How many of its calls have no known price: `usd` leaves them out. */
  unpricedCalls: amount,
  /** The cost and the time of the runs that this one continues. */
  before: z.strictObject({
    ...Spent.shape,
    wallMs: amount,
    /** Absent: none. */
    unpricedCalls: amount.exactOptional(),
  }),
  /** The cost of the runs that it started and that have ended. Absent: none. */
  children: Spent.exactOptional(),
  /** The budget that ended the last attempt, until a person lets the run continue. */
  over: z
    .strictObject({
      scope: z.enum(BUDGET_SCOPES),
      limit: z.enum(BUDGET_LIMITS),
      /** `price-unknown`: money is capped, and the price of the model is unknown. */
      because: z.enum(['spent', 'price-unknown']),
      /** The configured cap. A time is in milliseconds. */
      cap: amount,
      /** The least by which the cap has to rise for the refused call, in the unit of the cap. Absent: it is not known. */
      needs: amount.exactOptional(),
      since: z.number(),
      /** The model whose price is unknown. */
      model: z.string().exactOptional(),
      /** The key of the question about it. Absent: the run has not asked yet. */
      question: z.string().exactOptional(),
    })
    .nullable(),
  /** By how much a person has raised the configured caps. */
  raised: z.strictObject({ run: BudgetRaise, project: BudgetRaise, tree: BudgetRaise }),
  /** A person has allowed models without a price. */
  unpriced: z.boolean(),
  /** The cap on all tokens of the run that a person has set because a price is unknown. Null: none. */
  tokensCap: amount.nullable(),
  /** The time that the run itself has used. Absent: its first attempt has not begun. */
  time: WallTime.exactOptional(),
});
export type BudgetView = z.infer<typeof BudgetView>;

const NO_RAISE: BudgetRaise = { tokens: 0, usd: 0, calls: 0, wall: 0 };

export const NO_BUDGET_SPENT: BudgetView = {
  spent: NOTHING,
  held: [],
  assumed: NOTHING,
  unpricedCalls: 0,
  before: { ...NOTHING, wallMs: 0 },
  over: null,
  raised: { run: NO_RAISE, project: NO_RAISE, tree: NO_RAISE },
  unpriced: false,
  tokensCap: null,
};

/** The notes of an attempt about money. The maximum cost of a call is noted before it, its real cost after it. */
export type BudgetNote =
  | ({ readonly kind: 'reserved' } & Omit<BudgetView['held'][number], 'key'>)
  | ({
      readonly kind: 'spent';
      /** The calls that have ended, including those that cost nothing. */
      readonly settled: readonly number[];
      /** Absent: input and output tokens are not known separately. */
      readonly inputTokens?: number;
      readonly outputTokens?: number;
      /** How many calls have no known price. */
      readonly unpriced?: number;
    } & Spent)
  | ({ readonly kind: 'over-budget' } & Omit<
      NonNullable<BudgetView['over']>,
      'since' | 'question'
    >);

function isAboutBudget(note: Note<'attempt'>): note is BudgetNote {
  return note.kind === 'reserved' || note.kind === 'spent' || note.kind === 'over-budget';
}

export function foldBudget(before: BudgetView, event: RunEvent): BudgetView {
  const time = foldWallTime(before.time, event, before.over?.limit === 'wall');
  const view = time === undefined || time === before.time ? before : { ...before, time };
  if (event.type === 'command.noted') {
    const { key, command, note } = event.payload;
    return command === 'attempt' && isAboutBudget(note) ? noted(view, key, note, event.at) : view;
  }
  if (event.type === 'command.ended') {
    const { key } = event.payload;
    return withChild(
      assume(view, (held) => held.key === key),
      event.payload,
    );
  }
  if (view.over === null) return view;
  if (event.type === 'command.begun') {
    const { key, command, input } = event.payload;
    const isIt = command === 'ask' && isMoneyQuestion(input);
    return isIt ? { ...view, over: { ...view.over, question: key } } : view;
  }
  if (event.type !== 'signal.received') return view;
  const { signal } = event.payload;
  // The answer to another question, such as one about an issue, changes no budget.
  if (signal.kind !== 'answer' || signal.key !== view.over.question) return view;
  const { answer, budgetUsd, budgetTokens } = signal;
  if (view.over.because === 'price-unknown') return afterPriceAnswer(view, answer, budgetTokens);
  if (!isContinueAnswer(answer)) return view;
  return raisedBy(view, view.over, { usd: budgetUsd, tokens: budgetTokens }, event.at);
}

/** What a child spent counts in the parent too, once the child has ended. */
function withChild(view: BudgetView, { command, end }: CommandEnded): BudgetView {
  const spent = command === 'run' && end.kind === 'done' ? end.result.spent : undefined;
  if (spent === undefined) return view;
  return {
    ...view,
    spent: sum(view.spent, spent),
    children: sum(view.children ?? NOTHING, spent),
    unpricedCalls: view.unpricedCalls + spent.unpricedCalls,
  };
}

/** What a run and its children spent, without the runs that it continues. Undefined: nothing. */
export function spentByRun(budget: BudgetView): ChildSpending | undefined {
  const spending = ownSpending(assume(budget, () => true));
  return spending.calls === 0 ? undefined : spending;
}

function afterPriceAnswer(
  view: BudgetView,
  answer: string,
  tokensCap: number | undefined,
): BudgetView {
  switch (readBudgetAnswer(answer)) {
    case 'continue':
      return { ...view, over: null, unpriced: true };
    case 'cap': // without a number it would limit nothing
      return tokensCap === undefined ? view : { ...view, over: null, unpriced: true, tokensCap };
    case 'retry':
      return { ...view, over: null };
    case 'stop':
    case null:
      return view;
  }
}

type BudgetedRun = { readonly endedAt: number | null; readonly budget: BudgetView };

/**
 * The initial budget of a run that continues the run of this view. Spent money stays spent, also that of `others`: runs
 * that continue the same run already.
 */
export function continuesFrom(
  { endedAt, budget }: BudgetedRun,
  at: number,
  others: readonly BudgetedRun[] = [],
): BudgetView {
  const whole = assume(budget, () => true);
  const { spent: own, before, over: lastOver, assumed: _, children: __, time, ...rest } = whole;
  const more = others.map((other) => ownSpending(assume(other.budget, () => true)));
  const spent = more.reduce(sum, own);
  const unpricedCalls = more.reduce((count, one) => count + one.unpricedCalls, rest.unpricedCalls);
  const otherMs = others.reduce(
    (ms, other) => ms + wallSpentMs(other.budget.time, other.endedAt ?? at),
    0,
  );
  const over = lastOver === null ? null : notAsked(lastOver);
  // The run spent no time while it waited for an answer, nor after its end.
  const until = over?.since ?? endedAt ?? at;
  return {
    ...rest,
    spent,
    unpricedCalls,
    assumed: NOTHING,
    before: {
      ...spent,
      wallMs: before.wallMs + wallSpentMs(time, until) + otherMs,
      ...(unpricedCalls > 0 ? { unpricedCalls } : {}),
    },
    over: over === null ? null : { ...over, since: at },
    // Both runs belong to the same project. A raise for the project counts in the run that asked for it.
    raised: { ...rest.raised, project: NO_RAISE },
  };
}

/** The new run asks a question of its own. */
function notAsked(over: NonNullable<BudgetView['over']>): NonNullable<BudgetView['over']> {
  const { question: _, ...rest } = over;
  return rest;
}

/** The real cost of these calls is unknown, so each counts with its maximum cost. */
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
    unpricedCalls: view.unpricedCalls + lost.filter(({ unpriced }) => unpriced === true).length,
  };
}

function sum(a: Spent, b: Spent): Spent {
  return { tokens: a.tokens + b.tokens, usd: a.usd + b.usd, calls: a.calls + b.calls };
}

function noted(view: BudgetView, key: string, note: BudgetNote, at: number): BudgetView {
  if (note.kind === 'reserved') {
    const { call, tokens, usd } = note;
    const unpriced = note.unpriced === true ? ({ unpriced: true } as const) : {};
    return { ...view, held: [...view.held, { key, call, tokens, usd, ...unpriced }] };
  }
  if (note.kind === 'over-budget') {
    const { kind: _, ...over } = note;
    return { ...view, over: { ...over, since: at } };
  }
  const held = view.held.filter((one) => one.key !== key || !note.settled.includes(one.call));
  const unpricedCalls = view.unpricedCalls + (note.unpriced ?? 0);
  return { ...view, held, spent: sum(view.spent, note), unpricedCalls };
}

/** By how much a cap is raised if the person names no sum: by as much again, or by what the refused call needs. */
export function usualRaise({
  limit,
  cap,
  needs = 0,
}: Pick<NonNullable<BudgetView['over']>, 'limit' | 'cap' | 'needs'>): number {
  return Math.max(cap, limit === 'usd' ? Math.ceil(needs * 100) / 100 : needs);
}

function raisedBy(
  view: BudgetView,
  over: NonNullable<BudgetView['over']>,
  { usd, tokens }: { readonly usd: number | undefined; readonly tokens: number | undefined },
  at: number,
): BudgetView {
  const { scope, limit, since } = over;
  const cap = usualRaise(over);
  const before = view.raised[scope];
  // The time in which the run waits for the answer is not charged to it.
  const by = { usd: usd ?? cap, wall: cap + (at - since), tokens: tokens ?? cap, calls: cap }[
    limit
  ];
  const raise = { ...before, [limit]: before[limit] + by };
  return { ...view, over: null, raised: { ...view.raised, [scope]: raise } };
}
