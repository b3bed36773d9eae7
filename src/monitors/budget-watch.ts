/** When an agent hears that its budget comes to an end, and what it has left to give to others. */
import type { BudgetShare } from '../protocol/activity.ts';
import type { SpendingCaps } from '../protocol/agent-rules.ts';

/** From here on it is warned. At the whole of it, nothing is called any more and a person is asked. */
export const WARN_SHARE = 0.8;

/** Which caps it was warned of. Another cap of the same kind, which a person has raised, is a new one. */
export type BudgetWarnings = readonly string[];

export function warnings(
  shares: readonly BudgetShare[],
  warned: BudgetWarnings,
): { readonly near: readonly BudgetShare[]; readonly warned: BudgetWarnings } {
  const near = shares.filter(
    (share) => share.spent >= WARN_SHARE * share.cap && !warned.includes(nameOf(share)),
  );
  // One for each kind is enough: what was warned of below a cap that was raised is over.
  const kept = warned.filter((name) => shares.some((share) => nameOf(share) === name));
  return { near, warned: [...kept, ...near.map(nameOf)] };
}

function nameOf({ limit, cap }: BudgetShare): string {
  return `${limit} ${cap}`;
}

/** `82 % of 5 USD`, the fullest first. */
export function describeShares(shares: readonly BudgetShare[]): string {
  return shares
    .map((share) => ({ share, percent: percentOf(share) }))
    .toSorted((a, b) => b.percent - a.percent)
    .map(({ share, percent }) => `${percent} % of ${sayCap(share)}`)
    .join(', ');
}

/** Rounded down, but for what floating numbers lose. */
function percentOf({ spent, cap }: BudgetShare): number {
  return cap === 0 ? 100 : Math.floor((100 * spent) / cap + 1e-6);
}

const UNITS = { usd: 'USD', tokens: 'tokens', calls: 'model calls', wall: 'minutes' } as const;

function sayCap({ limit, cap }: Pick<BudgetShare, 'limit' | 'cap'>): string {
  return `${limit === 'wall' ? Math.round(cap / 60_000) : cap} ${UNITS[limit]}`;
}

/** What can still be given, in words; empty where nothing has a cap. */
export function describeRemaining({ usd, tokens, calls, wallMs }: SpendingCaps): string {
  const parts = [
    ...(usd === null ? [] : [`${Math.floor(100 * usd) / 100} ${UNITS.usd}`]),
    ...(tokens === null ? [] : [`${Math.floor(tokens)} ${UNITS.tokens}`]),
    ...(calls === null ? [] : [`${calls} ${UNITS.calls}`]),
    ...(wallMs === null ? [] : [`${Math.floor(wallMs / 60_000)} ${UNITS.wall}`]),
  ];
  return parts.join(', ');
}
