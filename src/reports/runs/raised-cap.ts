/** With which budget a run can continue after it has spent its own. */
import type { Note } from '../../protocol/commands.ts';
import type { NamedRaise } from '../../protocol/views/answer-advice.ts';
import { namedRaise } from '../../protocol/views/answer-advice.ts';

/** A time is in milliseconds. */
export type RaisedCap = { readonly limit: NamedRaise['limit'] | 'wall'; readonly cap: number };

export function raisedCap(
  over: Extract<Note<'attempt'>, { kind: 'over-budget' }>,
): RaisedCap | null {
  if (over.scope === 'run' && over.limit === 'wall') return { limit: 'wall', cap: 2 * over.cap };
  const { limit = null, by = 0 } = namedRaise(over) ?? {};
  if (limit === null || over.scope !== 'run') return null;
  return { limit, cap: limit === 'usd' ? inCents(over.cap + by) : over.cap + by };
}

/** A sum of amounts in dollars has digits that no person would type, such as 2.9299999999999997. */
function inCents(usd: number): number {
  return Math.ceil(Number((usd * 100).toFixed(6))) / 100;
}
