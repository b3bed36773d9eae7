/**
 * A pure ledger of what may be spent. A call reserves the most that it can cost before it starts, and settles its
 * actual cost at its end. So spent + reserved never exceeds a cap, however many calls run concurrently.
 */
import type { Instant } from '../../base/clock.ts';

export type BudgetLimit = 'tokens' | 'usd' | 'calls' | 'wall';

/** Null: no cap of that kind. */
export type BudgetCaps = {
  /** Input and output tokens, including those from a cache. */
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly calls: number | null;
  readonly wallMs: number | null;
};

export const NO_CAPS: BudgetCaps = { tokens: null, usd: null, calls: null, wallMs: null };

export type BudgetUsage = { readonly tokens: number; readonly usd: number; readonly calls: number };

export const NO_USAGE: BudgetUsage = { tokens: 0, usd: 0, calls: 0 };

export function addUsage(one: BudgetUsage, other: BudgetUsage): BudgetUsage {
  return {
    tokens: one.tokens + other.tokens,
    usd: one.usd + other.usd,
    calls: one.calls + other.calls,
  };
}

/** The cost of one call: a maximum before it, or the actual cost after it. */
export type CallCost = {
  readonly tokens: number;
  /** Null if the model has no price. */
  readonly usd: number | null;
};

/** The actual cost of one call, with both kinds of tokens, because reports show them separately. */
export type CallCharge = CallCost & {
  readonly inputTokens: number;
  readonly outputTokens: number;
};

/** The most that a call can cost. Its input is fixed; its output can be limited. */
export type CallEstimate = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** A shorter answer than this is useless. */
  readonly outputTokensMin: number;
  /** US dollars for all of the input, and for one token of output. Null: the model has no price. */
  readonly usd: { readonly input: number; readonly outputToken: number } | null;
  /** A person has allowed that a call without a price is not counted in money. */
  readonly uncounted?: boolean;
};

export type BudgetLedger = {
  readonly caps: BudgetCaps;
  readonly begunAt: Instant;
  readonly spent: BudgetUsage;
  readonly reserved: BudgetUsage;
};

export type Admission =
  | {
      readonly kind: 'admitted';
      /** How many tokens the answer may have: the requested number, or what is left. */
      readonly outputTokens: number;
      /** The cap that lowered the number. */
      readonly lowered?: 'tokens' | 'usd';
    }
  /** Other calls have reserved what is left. When they settle, there may be room. */
  | { readonly kind: 'wait'; readonly limit: BudgetLimit }
  | {
      readonly kind: 'exhausted';
      readonly limit: BudgetLimit;
      /** `price-unknown`: money is capped and the model has no price. */
      readonly because: 'spent' | 'price-unknown';
    };

const ROUNDING_TOKENS = 1e-6;
const COUNTED = ['tokens', 'usd', 'calls'] as const;

export function openLedger(
  caps: BudgetCaps,
  begunAt: Instant,
  spent: BudgetUsage = NO_USAGE,
): BudgetLedger {
  return { caps, begunAt, spent, reserved: NO_USAGE };
}

/** Whether the cost of calls is limited, and not only their number. */
export function isCostCapped({ tokens, usd }: BudgetCaps): boolean {
  return tokens !== null || usd !== null;
}

/** The most that a call with this many output tokens can cost. */
export function costWith({ inputTokens, usd }: CallEstimate, outputTokens: number): CallCharge {
  return {
    tokens: inputTokens + outputTokens,
    usd: usd === null ? null : usd.input + outputTokens * usd.outputToken,
    inputTokens,
    outputTokens,
  };
}

export function admitCall(ledger: BudgetLedger, estimate: CallEstimate, now: Instant): Admission {
  const { caps, begunAt, spent, reserved } = ledger;
  if (caps.wallMs !== null && now - begunAt >= caps.wallMs)
    return { kind: 'exhausted', limit: 'wall', because: 'spent' };
  const capped = COUNTED.flatMap((limit) => {
    const cap = caps[limit];
    return cap === null ? [] : [{ limit, cap }];
  });
  const spentCap = capped.find(({ limit, cap }) => spent[limit] >= cap);
  if (spentCap !== undefined) return { kind: 'exhausted', limit: spentCap.limit, because: 'spent' };
  if (caps.usd !== null && estimate.usd === null && estimate.uncounted !== true)
    return { kind: 'exhausted', limit: 'usd', because: 'price-unknown' };
  const reservedCap = capped.find(({ limit, cap }) => spent[limit] + reserved[limit] >= cap);
  if (reservedCap !== undefined) return { kind: 'wait', limit: reservedCap.limit };
  const rooms = roomsFor(ledger, estimate);
  const [tightest] = rooms.toSorted((a, b) => a.outputTokens - b.outputTokens);
  if (tightest === undefined || tightest.outputTokens >= estimate.outputTokens)
    return { kind: 'admitted', outputTokens: estimate.outputTokens };
  const { limit, outputTokens } = tightest;
  // Only the last call gets a shorter answer than requested. While other calls hold reservations, some of that may be
  // released.
  if (reserved.calls > 0) return { kind: 'wait', limit };
  if (outputTokens < estimate.outputTokensMin)
    return { kind: 'exhausted', limit, because: 'spent' };
  return { kind: 'admitted', outputTokens, lowered: limit };
}

/** How many output tokens each cap has room for. */
function roomsFor(
  { caps, spent, reserved }: BudgetLedger,
  { inputTokens, usd }: CallEstimate,
): readonly { readonly limit: 'tokens' | 'usd'; readonly outputTokens: number }[] {
  const left = (limit: 'tokens' | 'usd', cap: number): number =>
    cap - spent[limit] - reserved[limit];
  const rooms: { limit: 'tokens' | 'usd'; outputTokens: number }[] = [];
  if (caps.tokens !== null)
    rooms.push({ limit: 'tokens', outputTokens: left('tokens', caps.tokens) - inputTokens });
  if (caps.usd !== null && usd !== null) {
    const money = left('usd', caps.usd) - usd.input;
    const outputTokens = usd.outputToken > 0 ? money / usd.outputToken : money >= 0 ? Infinity : 0;
    rooms.push({ limit: 'usd', outputTokens });
  }
  return rooms.map(({ limit, outputTokens }) => ({
    limit,
    // Sums of floating-point numbers are slightly inexact. So a cap that is met exactly leaves one token less.
    outputTokens: Math.floor(limit === 'usd' ? outputTokens - ROUNDING_TOKENS : outputTokens),
  }));
}

export function reserveCall(ledger: BudgetLedger, cost: CallCost): BudgetLedger {
  return { ...ledger, reserved: add(ledger.reserved, cost, 1) };
}

/** `cost` is null for a call that never reached the provider. It costs nothing and does not count. */
export function settleCall(
  ledger: BudgetLedger,
  reserved: CallCost,
  cost: CallCost | null,
): BudgetLedger {
  return {
    ...ledger,
    // When the last reservation ends, the sum is reset to exactly zero, which drops floating-point errors.
    reserved: ledger.reserved.calls <= 1 ? NO_USAGE : add(ledger.reserved, reserved, -1),
    spent: cost === null ? ledger.spent : add(ledger.spent, cost, 1),
  };
}

function add(sum: BudgetUsage, { tokens, usd }: CallCost, sign: 1 | -1): BudgetUsage {
  return {
    tokens: sum.tokens + sign * tokens,
    usd: sum.usd + sign * (usd ?? 0),
    calls: sum.calls + sign,
  };
}
