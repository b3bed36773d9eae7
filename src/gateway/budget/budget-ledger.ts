/**
 * What may be spent, as a pure ledger. A call reserves the most that it can cost before it starts and
 * settles what it did cost at its end. So spent + reserved never passes a cap, however many calls run
 * side by side.
 */
import type { Instant } from '../../base/clock.ts';

export type BudgetLimit = 'tokens' | 'usd' | 'calls' | 'wall';

/** Null: no cap of that kind. */
export type BudgetCaps = {
  /** Read and written, with what came from a cache. */
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

/** The most that a call can cost: what it reads is given, what it writes can be limited. */
export type CallEstimate = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** An answer with room for fewer tokens is of no use. */
  readonly outputTokensMin: number;
  /** US dollars: for all of the input, and for one token of the output. Null: the model has no price. */
  readonly usd: { readonly input: number; readonly outputToken: number } | null;
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
      /** How many tokens the answer may have: what was wished for, or what is left for it. */
      readonly outputTokens: number;
      /** The cap that made it fewer. */
      readonly lowered?: 'tokens' | 'usd';
    }
  /** Others have reserved what is left; when they settle, there may be room. */
  | { readonly kind: 'wait'; readonly limit: BudgetLimit }
  | {
      readonly kind: 'exhausted';
      readonly limit: BudgetLimit;
      /** `price-unknown`: money is capped and the model has no price. */
      readonly because: 'spent' | 'price-unknown';
    };

const HAIR_TOKENS = 1e-6;
const COUNTED = ['tokens', 'usd', 'calls'] as const;

export function openLedger(
  caps: BudgetCaps,
  begunAt: Instant,
  spent: BudgetUsage = NO_USAGE,
): BudgetLedger {
  return { caps, begunAt, spent, reserved: NO_USAGE };
}

/** Whether what a call costs is limited, and not only how many there are. */
export function isCostCapped({ tokens, usd }: BudgetCaps): boolean {
  return tokens !== null || usd !== null;
}

/** The most that a call with room for so many tokens of output can cost. */
export function costWith({ inputTokens, usd }: CallEstimate, outputTokens: number): CallCharge {
  return {
    tokens: inputTokens + outputTokens,
    usd: usd === null ? null : usd.input + outputTokens * usd.outputToken,
    inputTokens,
    outputTokens,
  };
}

export function admitCall(ledger: BudgetLedger, wish: CallEstimate, now: Instant): Admission {
  const { caps, begunAt, spent, reserved } = ledger;
  if (caps.wallMs !== null && now - begunAt >= caps.wallMs)
    return { kind: 'exhausted', limit: 'wall', because: 'spent' };
  const capped = COUNTED.flatMap((limit) => {
    const cap = caps[limit];
    return cap === null ? [] : [{ limit, cap }];
  });
  const gone = capped.find(({ limit, cap }) => spent[limit] >= cap);
  if (gone !== undefined) return { kind: 'exhausted', limit: gone.limit, because: 'spent' };
  if (caps.usd !== null && wish.usd === null)
    return { kind: 'exhausted', limit: 'usd', because: 'price-unknown' };
  const taken = capped.find(({ limit, cap }) => spent[limit] + reserved[limit] >= cap);
  if (taken !== undefined) return { kind: 'wait', limit: taken.limit };
  const rooms = roomsFor(ledger, wish);
  const [tightest] = rooms.toSorted((a, b) => a.outputTokens - b.outputTokens);
  if (tightest === undefined || tightest.outputTokens >= wish.outputTokens)
    return { kind: 'admitted', outputTokens: wish.outputTokens };
  const { limit, outputTokens } = tightest;
  // A shorter answer than was asked for is only for the last call: what others hold may come back.
  if (reserved.calls > 0) return { kind: 'wait', limit };
  if (outputTokens < wish.outputTokensMin) return { kind: 'exhausted', limit, because: 'spent' };
  return { kind: 'admitted', outputTokens, lowered: limit };
}

/** How many tokens of output each cap has room for. */
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
    // Floating sums of what is spent may be a hair off: a cap that is met exactly leaves a token less.
    outputTokens: Math.floor(limit === 'usd' ? outputTokens - HAIR_TOKENS : outputTokens),
  }));
}

export function reserveCall(ledger: BudgetLedger, cost: CallCost): BudgetLedger {
  return { ...ledger, reserved: add(ledger.reserved, cost, 1) };
}

/** `cost` is null for a call that never reached the provider: it costs nothing and counts for nothing. */
export function settleCall(
  ledger: BudgetLedger,
  reserved: CallCost,
  cost: CallCost | null,
): BudgetLedger {
  return {
    ...ledger,
    // The last one out leaves nothing behind, not even what floating numbers leave.
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
