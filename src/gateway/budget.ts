/**
 * What may be spent, as a pure ledger. A call reserves what it may cost before it starts and settles
 * what it did cost at its end, so that no call starts once spent + reserved has reached the cap,
 * however many run side by side.
 */
import type { Instant } from '../base/clock.ts';

export type BudgetLimit = 'tokens' | 'usd' | 'calls' | 'wall';

/** Null: no cap of that kind. */
export type Caps = {
  /** Read and written, with what came from a cache. */
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly calls: number | null;
  readonly wallMs: number | null;
};

export const NO_CAPS: Caps = { tokens: null, usd: null, calls: null, wallMs: null };

export type Spent = { readonly tokens: number; readonly usd: number; readonly calls: number };

export const NOTHING: Spent = { tokens: 0, usd: 0, calls: 0 };

export function plus(one: Spent, other: Spent): Spent {
  return {
    tokens: one.tokens + other.tokens,
    usd: one.usd + other.usd,
    calls: one.calls + other.calls,
  };
}

/** What one call may cost, or did. */
export type CallCost = {
  readonly tokens: number;
  /** Null where the model has no price. */
  readonly usd: number | null;
};

/** What one call did cost, with both kinds of tokens, since people ask for them apart. */
export type CallCharge = CallCost & {
  readonly inputTokens: number;
  readonly outputTokens: number;
};

export type Ledger = {
  readonly caps: Caps;
  readonly begunAt: Instant;
  readonly spent: Spent;
  readonly reserved: Spent;
};

export type Admission =
  | { readonly kind: 'admitted'; readonly ledger: Ledger }
  /** Others have reserved what is left; when they settle, there may be room. */
  | { readonly kind: 'wait'; readonly limit: BudgetLimit }
  | {
      readonly kind: 'exhausted';
      readonly limit: BudgetLimit;
      /** `price-unknown`: money is capped and nobody knows what this model costs. */
      readonly because: 'spent' | 'price-unknown';
    };

const COUNTED = ['tokens', 'usd', 'calls'] as const;

export function openLedger(caps: Caps, begunAt: Instant, spent: Spent = NOTHING): Ledger {
  return { caps, begunAt, spent, reserved: NOTHING };
}

export function admitCall(ledger: Ledger, estimate: CallCost, now: Instant): Admission {
  const { caps, begunAt, spent, reserved } = ledger;
  if (caps.wallMs !== null && now - begunAt >= caps.wallMs)
    return { kind: 'exhausted', limit: 'wall', because: 'spent' };
  const capped = COUNTED.flatMap((limit) => {
    const cap = caps[limit];
    return cap === null ? [] : [{ limit, cap }];
  });
  const gone = capped.find(({ limit, cap }) => spent[limit] >= cap);
  if (gone !== undefined) return { kind: 'exhausted', limit: gone.limit, because: 'spent' };
  if (caps.usd !== null && estimate.usd === null)
    return { kind: 'exhausted', limit: 'usd', because: 'price-unknown' };
  const taken = capped.find(({ limit, cap }) => spent[limit] + reserved[limit] >= cap);
  if (taken !== undefined) return { kind: 'wait', limit: taken.limit };
  return { kind: 'admitted', ledger: { ...ledger, reserved: add(reserved, estimate, 1) } };
}

/** `cost` is null for a call that never reached the provider: it costs nothing and counts for nothing. */
export function settleCall(ledger: Ledger, estimate: CallCost, cost: CallCost | null): Ledger {
  return {
    ...ledger,
    // The last one out leaves nothing behind, not even what floating numbers leave.
    reserved: ledger.reserved.calls <= 1 ? NOTHING : add(ledger.reserved, estimate, -1),
    spent: cost === null ? ledger.spent : add(ledger.spent, cost, 1),
  };
}

function add(sum: Spent, { tokens, usd }: CallCost, sign: 1 | -1): Spent {
  return {
    tokens: sum.tokens + sign * tokens,
    usd: sum.usd + sign * (usd ?? 0),
    calls: sum.calls + sign,
  };
}
