import type { Clock, Instant } from '../../base/clock.ts';
import { admitCall, costWith, openLedger, reserveCall, settleCall } from './budget-ledger.ts';
import type {
  Admission,
  BudgetLimit,
  CallCharge,
  CallCost,
  CallEstimate,
} from './budget-ledger.ts';
import type { BudgetCaps, BudgetLedger, BudgetUsage } from './budget-ledger.ts';

export type BudgetScope = 'run' | 'project' | 'tree';

/**
 * A ledger that several gateways share: all runs of a project, all agents of a tree. What was spent
 * before this process is given to it; what is spent in it is read from `ledger`.
 */
export class BudgetPool {
  readonly scope: BudgetScope;
  #ledger: BudgetLedger;
  #waiting: (() => void)[] = [];

  constructor(scope: BudgetScope, caps: BudgetCaps, begunAt: Instant, spent?: BudgetUsage) {
    this.scope = scope;
    this.#ledger = openLedger(caps, begunAt, spent);
  }

  get ledger(): BudgetLedger {
    return this.#ledger;
  }

  ask(wish: CallEstimate, now: Instant): Admission {
    return admitCall(this.#ledger, wish, now);
  }

  /** Only after an admission in the same turn of the event loop. */
  reserve(cost: CallCost): void {
    this.#ledger = reserveCall(this.#ledger, cost);
  }

  settle(reserved: CallCost, cost: CallCost | null): void {
    this.#ledger = settleCall(this.#ledger, reserved, cost);
    this.#wake();
  }

  /** A person has decided: the same purse goes on with other caps. */
  renew(caps: BudgetCaps): void {
    this.#ledger = { ...this.#ledger, caps };
    this.#wake();
  }

  /** Resolves when something has been settled, or when the signal aborts. */
  change(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      signal.addEventListener('abort', end, { once: true });
      this.#waiting.push(end);
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

export type ExhaustedBudget = {
  readonly kind: 'exhausted';
  readonly purse: BudgetPool;
  readonly limit: BudgetLimit;
  readonly because: 'spent' | 'price-unknown';
};

export type Reservation = {
  readonly kind: 'reserved';
  /** The most that the call may cost. */
  readonly cost: CallCharge;
  /** Which budget leaves it less output than it asked for. */
  readonly lowered?: { readonly purse: BudgetPool; readonly limit: BudgetLimit };
  /** To be called exactly once. */
  settle(cost: CallCost | null): void;
};

/** Reserves in all of them or in none. Waits while others hold what is left; `called-off` by the signal. */
export async function reserveIn(
  purses: readonly BudgetPool[],
  wish: CallEstimate,
  clock: Clock,
  signal: AbortSignal,
): Promise<Reservation | ExhaustedBudget | { readonly kind: 'called-off' }> {
  while (!signal.aborted) {
    const asked = purses.map((purse) => ({ purse, answer: purse.ask(wish, clock.now()) }));
    for (const { purse, answer } of asked)
      if (answer.kind === 'exhausted') return { ...answer, purse };
    const full = asked.find(({ answer }) => answer.kind === 'wait');
    if (full === undefined) return reservedIn(asked, wish);
    await full.purse.change(signal);
  }
  return { kind: 'called-off' };
}

function reservedIn(
  asked: readonly { readonly purse: BudgetPool; readonly answer: Admission }[],
  wish: CallEstimate,
): Reservation {
  const least = asked
    .flatMap(({ purse, answer }) => (answer.kind === 'admitted' ? [{ purse, ...answer }] : []))
    .toSorted((a, b) => a.outputTokens - b.outputTokens)[0];
  const cost = costWith(wish, least?.outputTokens ?? wish.outputTokens);
  for (const { purse } of asked) purse.reserve(cost);
  return {
    kind: 'reserved',
    cost,
    ...(least?.lowered !== undefined && { lowered: { purse: least.purse, limit: least.lowered } }),
    settle: (paid) => {
      for (const { purse } of asked) purse.settle(cost, paid);
    },
  };
}
