/** The end of an attempt by its time budget. It comes by the clock, whether the agent makes calls or not. */
import type { Clock } from '../base/clock.ts';
import { describeExhausted } from '../gateway/budget/describe-exhausted.ts';
import type { TimeBudget } from '../gateway/budget/time-budget.ts';
import type { FailedAttempt } from '../protocol/contracts/attempt-contract.ts';
import type { BudgetNote } from '../protocol/views/budget-view.ts';

type FindTimeBudget = () => TimeBudget | undefined;

/** Undefined: nothing limits its time, or some of it is left. */
export function spentTimeBudget(find: FindTimeBudget, now: number): TimeBudget | undefined {
  const first = find();
  return first !== undefined && first.endsAt <= now ? first : undefined;
}

/** Waits for the end of the first time budget. It looks again then, because a person can raise a budget meanwhile. */
export async function timeBudgetEnd(
  find: FindTimeBudget,
  clock: Clock,
  signal: AbortSignal,
): Promise<TimeBudget | undefined> {
  for (;;) {
    const first = find();
    if (first === undefined) return undefined;
    if (!(await clock.sleepUntil(first.endsAt, signal))) return undefined;
    const spent = spentTimeBudget(find, clock.now());
    if (spent !== undefined) return spent;
  }
}

export function describeTimeSpent(budget: TimeBudget): string {
  return describeExhausted(budget, null);
}

export function timeSpentNote({ scope, limit, cap }: TimeBudget): BudgetNote {
  return { kind: 'over-budget', scope, limit, because: 'spent', cap };
}

/** An attempt that does not start: no time is left for it. */
export function noTimeLeft(budget: TimeBudget): FailedAttempt {
  return { kind: 'failed', reason: 'budget', message: describeTimeSpent(budget) };
}
