/** Warns an agent before its budget is spent, and describes what it can still delegate. */
import type { BudgetShare } from '../protocol/activity.ts';
import type { SpendingCaps } from '../protocol/agent-rules.ts';

/** The share at which the agent is warned. At 100 % model calls stop and a person is asked. */
const WARN_SHARE = 0.8;

/** The caps that the agent was warned about. A raised cap counts as a new one. */
export type BudgetWarnings = readonly string[];

export function decideWarnings(
  shares: readonly BudgetShare[],
  warned: BudgetWarnings,
): { readonly near: readonly BudgetShare[]; readonly warned: BudgetWarnings } {
  const near = shares.filter(
    (share) => share.spent >= WARN_SHARE * share.cap && !warned.includes(capName(share)),
  );
  // Warnings about a cap that was raised since are dropped.
  const current = warned.filter((name) => shares.some((share) => capName(share) === name));
  return { near, warned: [...current, ...near.map(capName)] };
}

function capName({ limit, cap }: BudgetShare): string {
  return `${limit} ${cap}`;
}

/** `82 % of 5 USD`, the fullest first. */
export function describeShares(shares: readonly BudgetShare[]): string {
  return shares
    .map((share) => ({ share, percent: usedPercent(share) }))
    .toSorted((a, b) => b.percent - a.percent)
    .map(({ share, percent }) => `${percent} % of ${describeCap(share)}`)
    .join(', ');
}

/** Rounded down, with a tolerance for floating-point error. */
function usedPercent({ spent, cap }: BudgetShare): number {
  return cap === 0 ? 100 : Math.floor((100 * spent) / cap + 1e-6);
}

const UNITS = { usd: 'USD', tokens: 'tokens', calls: 'model calls', wall: 'minutes' } as const;

function describeCap({ limit, cap }: Pick<BudgetShare, 'limit' | 'cap'>): string {
  return `${limit === 'wall' ? Math.round(cap / 60_000) : cap} ${UNITS[limit]}`;
}

/** The rest that can be delegated, as text; empty if there is no cap. */
export function describeRemaining({ usd, tokens, calls, wallMs }: SpendingCaps): string {
  const parts = [
    ...(usd === null ? [] : [`${Math.floor(100 * usd) / 100} ${UNITS.usd}`]),
    ...(tokens === null ? [] : [`${Math.floor(tokens)} ${UNITS.tokens}`]),
    ...(calls === null ? [] : [`${calls} ${UNITS.calls}`]),
    ...(wallMs === null ? [] : [`${Math.floor(wallMs / 60_000)} ${UNITS.wall}`]),
  ];
  return parts.join(', ');
}
