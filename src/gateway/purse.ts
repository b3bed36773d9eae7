import type { Clock, Instant } from '../base/clock.ts';
import { admitCall, costWith, openLedger, reserveCall, settleCall } from './budget.ts';
import type { Admission, BudgetLimit, CallCharge, CallCost, CallWish } from './budget.ts';
import type { Caps, Ledger, Spent } from './budget.ts';

export type PurseScope = 'run' | 'project' | 'tree';

/**
 * A ledger that several gateways share: all runs of a project, all agents of a tree. What was spent
 * before this process is given to it; what is spent in it is read from `ledger`.
 */
export class Purse {
  readonly scope: PurseScope;
  #ledger: Ledger;
  #waiting: (() => void)[] = [];

  constructor(scope: PurseScope, caps: Caps, begunAt: Instant, spent?: Spent) {
    this.scope = scope;
    this.#ledger = openLedger(caps, begunAt, spent);
  }

  get ledger(): Ledger {
    return this.#ledger;
  }

  ask(wish: CallWish, now: Instant): Admission {
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
  renew(caps: Caps): void {
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

export type Exhausted = {
  readonly kind: 'exhausted';
  readonly purse: Purse;
  readonly limit: BudgetLimit;
  readonly because: 'spent' | 'price-unknown';
};

export type Reservation = {
  readonly kind: 'reserved';
  /** The most that the call may cost. */
  readonly cost: CallCharge;
  /** Which budget leaves it less output than it asked for. */
  readonly lowered?: { readonly purse: Purse; readonly limit: BudgetLimit };
  /** To be called exactly once. */
  settle(cost: CallCost | null): void;
};

/** Reserves in all of them or in none. Waits while others hold what is left; `called-off` by the signal. */
export async function reserveIn(
  purses: readonly Purse[],
  wish: CallWish,
  clock: Clock,
  signal: AbortSignal,
): Promise<Reservation | Exhausted | { readonly kind: 'called-off' }> {
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
  asked: readonly { readonly purse: Purse; readonly answer: Admission }[],
  wish: CallWish,
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
