/** Sums up what attempts have cost in equal parts of a period, in all and for each group. */
import type { SpendRequest, SpendSeries, SpendView } from '../protocol/views/spend-view.ts';
import type { EndedAttempt } from './ended-attempt.ts';
import { groupOf } from './group-of-attempt.ts';

/** More lines than these can't be told apart. The others become one. */
const GROUPS_MAX = 6;
const OTHERS = 'others';

type Series = { readonly usd: number[]; readonly tokens: number[] };

/** The period begins with the first attempt if that is later. */
export function spendOverTime(
  records: readonly EndedAttempt[],
  { since, by, parts }: SpendRequest,
  until: number,
): SpendView {
  const recent = records.filter(({ endedAt }) => endedAt >= since && endedAt <= until);
  const first = recent.reduce((least, { endedAt }) => Math.min(least, endedAt), until);
  const from = Math.max(since, first);
  const partMs = Math.max(1, (until - from) / parts);
  const empty = (): Series => ({
    usd: Array<number>(parts).fill(0),
    tokens: Array<number>(parts).fill(0),
  });
  const total = empty();
  const groups = new Map<string | null, Series>();
  for (const record of recent) {
    const part = Math.min(parts - 1, Math.floor((record.endedAt - from) / partMs));
    const name = groupOf(record, by);
    const group = groups.get(name) ?? empty();
    groups.set(name, group);
    for (const one of [total, group]) {
      one.usd[part] = (one.usd[part] ?? 0) + (record.costUsd ?? 0);
      one.tokens[part] = (one.tokens[part] ?? 0) + (record.tokens ?? 0);
    }
  }
  const sorted = [...groups]
    .map(([name, series]): SpendSeries => ({ name, ...series }))
    .toSorted((a, b) => sum(b.usd) - sum(a.usd) || sum(b.tokens) - sum(a.tokens));
  return {
    ...{ since: from, until, partMs, by },
    total: { name: null, ...total },
    groups: withOthers(sorted, empty),
  };
}

function withOthers(sorted: readonly SpendSeries[], empty: () => Series): SpendSeries[] {
  if (sorted.length <= GROUPS_MAX) return [...sorted];
  const rest = empty();
  for (const { usd, tokens } of sorted.slice(GROUPS_MAX - 1)) {
    for (const [part, value] of usd.entries()) rest.usd[part] = (rest.usd[part] ?? 0) + value;
    for (const [part, value] of tokens.entries())
      rest.tokens[part] = (rest.tokens[part] ?? 0) + value;
  }
  return [...sorted.slice(0, GROUPS_MAX - 1), { name: OTHERS, ...rest }];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}
