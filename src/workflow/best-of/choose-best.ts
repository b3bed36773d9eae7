/** Which of several candidates is the best: gates decide, then the cost, then the order. No model is asked. */
import { plural, shortList } from '../../base/text.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import { dollars } from '../../reports/cost-words.ts';

export type JudgedAgent = {
  readonly agent: string;
  /** Null: it was never started. */
  readonly run: string | null;
  /** Null: it has not ended. */
  readonly outcome: RunOutcome | null;
  /** Null: nothing was counted, or the price of a call is unknown. */
  readonly costUsd: number | null;
};

export type Choice = {
  /** The place of the best candidate. Null: none is good enough. */
  readonly best: number | null;
  readonly why: string;
};

/** How good each end is. A candidate that did not end well is never chosen. */
const RANKS: Partial<Record<RunOutcome['kind'], number>> = { succeeded: 2, unverified: 1 };
const WHY_CHARS_MAX = 120;

export function chooseBest(candidates: readonly JudgedAgent[]): Choice {
  const rankOf = ({ outcome }: JudgedAgent): number =>
    outcome === null ? 0 : (RANKS[outcome.kind] ?? 0);
  const top = Math.max(0, ...candidates.map(rankOf));
  if (top === 0) return { best: null, why: noneWords(candidates) };
  const rivals = candidates.filter((one) => rankOf(one) === top);
  const [first, second] = rivals.toSorted((a, b) => costOf(a) - costOf(b));
  if (first === undefined) return { best: null, why: noneWords(candidates) };
  const head = `${first.agent} is the best of ${candidates.length}`;
  const judged = top === 2 ? 'its gates are green' : 'it is done, and no gate has proved its work';
  const because = second === undefined ? 'no other one is as good' : tieWords(first, rivals);
  return { best: candidates.indexOf(first), why: `${head}: ${judged}, and ${because}` };
}

/** An unknown cost may be any, so a known one goes first. The sort keeps the order of equal ones. */
function costOf({ costUsd }: JudgedAgent): number {
  return costUsd ?? Number.MAX_VALUE;
}

function tieWords(first: JudgedAgent, rivals: readonly JudgedAgent[]): string {
  const others = rivals.filter((one) => one !== first);
  const names = shortList(
    others.map(({ agent }) => agent),
    5,
  );
  const as = `${names} ${others.length === 1 ? 'is' : 'are'} as good`;
  if (first.costUsd === null) return `${as}, no cost is known, and it comes first in the chain`;
  const known = others.flatMap(({ costUsd }) => costUsd ?? []);
  const least = Math.min(...known);
  if (known.length > 0 && least === first.costUsd)
    return `${as} for the same ${dollars(least, 4)}, and it comes first in the chain`;
  const instead = known.length === 0 ? 'an unknown cost' : `${dollars(least, 4)} or more`;
  return `${as}, but it cost ${dollars(first.costUsd, 4)} instead of ${instead}`;
}

function noneWords(candidates: readonly JudgedAgent[]): string {
  const ends = candidates.map(({ agent, outcome }) => {
    const reason = outcome === null ? 'not ended' : `${outcome.kind}: ${outcome.reason}`;
    return `${agent} ${reason.slice(0, WHY_CHARS_MAX)}`;
  });
  return `none of ${plural(candidates.length, 'agent')} did the task. ${ends.join('; ')}`;
}
