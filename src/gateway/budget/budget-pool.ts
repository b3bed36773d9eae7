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
 * A ledger that several gateways share: all runs of a project, or all agents of a tree. The caller passes in what was
 * spent before this process; `ledger` shows what is spent since.
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

  admit(estimate: CallEstimate, now: Instant): Admission {
    return admitCall(this.#ledger, estimate, now);
  }

  /** Call it only after an admission in the same turn of the event loop. */
  reserve(cost: CallCost): void {
    this.#ledger = reserveCall(this.#ledger, cost);
  }

  settle(reserved: CallCost, cost: CallCost | null): void {
    this.#ledger = settleCall(this.#ledger, reserved, cost);
    this.#wake();
  }

  /** A person has raised or lowered the caps. What was spent still counts. */
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
  readonly pool: BudgetPool;
  readonly limit: BudgetLimit;
  readonly because: 'spent' | 'price-unknown';
};

export type Reservation = {
  readonly kind: 'reserved';
  /** The most that the call may cost. */
  readonly cost: CallCharge;
  /** The budget that allows less output than requested. */
  readonly lowered?: { readonly pool: BudgetPool; readonly limit: BudgetLimit };
  /** To be called exactly once. */
  settle(cost: CallCost | null): void;
};

/**
 * Reserves in all pools or in none. Waits while other calls hold what is left. The result is `called-off` if the
 * signal aborts.
 */
export async function reserveIn(
  pools: readonly BudgetPool[],
  estimate: CallEstimate,
  clock: Clock,
  signal: AbortSignal,
): Promise<Reservation | ExhaustedBudget | { readonly kind: 'called-off' }> {
  while (!signal.aborted) {
    const admissions = pools.map((pool) => ({
      pool,
      answer: pool.admit(estimate, clock.now()),
    }));
    for (const { pool, answer } of admissions)
      if (answer.kind === 'exhausted') return { ...answer, pool };
    const full = admissions.find(({ answer }) => answer.kind === 'wait');
    if (full === undefined) return reservedIn(admissions, estimate);
    await full.pool.change(signal);
  }
  return { kind: 'called-off' };
}

function reservedIn(
  admissions: readonly { readonly pool: BudgetPool; readonly answer: Admission }[],
  estimate: CallEstimate,
): Reservation {
  const least = admissions
    .flatMap(({ pool, answer }) => (answer.kind === 'admitted' ? [{ pool, ...answer }] : []))
    .toSorted((a, b) => a.outputTokens - b.outputTokens)[0];
  const cost = costWith(estimate, least?.outputTokens ?? estimate.outputTokens);
  for (const { pool } of admissions) pool.reserve(cost);
  return {
    kind: 'reserved',
    cost,
    ...(least?.lowered !== undefined && { lowered: { pool: least.pool, limit: least.lowered } }),
    settle: (paid) => {
      for (const { pool } of admissions) pool.settle(cost, paid);
    },
  };
}
