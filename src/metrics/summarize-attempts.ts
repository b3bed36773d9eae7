/** Sums up recorded attempts in groups: shares with their intervals, times, cost, and failures over time. */
import type { FailureTrend, MetricsRow, MetricsView } from '../protocol/views/metrics-view.ts';
import type { MetricGroup } from '../protocol/metric-groups.ts';
import { wilsonInterval } from '../reports/steps/wilson.ts';
import type { EndedAttempt } from './ended-attempt.ts';
import { comparedIn, groupOf } from './group-of-attempt.ts';

/** Fewer attempts say too little to be the best. */
const ENOUGH_ATTEMPTS = 10;
const PARTS_OF_TIME = 6;

export type MetricsWindow = {
  readonly since: number;
  readonly until: number;
  readonly by: MetricGroup;
  /** How many older records were dropped. */
  readonly leftOut: number;
};

/** Attempts that ended before the window are not counted. */
export function summarizeAttempts(
  records: readonly EndedAttempt[],
  { since, until, by, leftOut }: MetricsWindow,
): MetricsView {
  const total = new Tally();
  const groups = new Map<string | null, Tally>();
  const recent = records.filter(({ endedAt }) => endedAt >= since && endedAt <= until);
  for (const record of recent) {
    total.add(record);
    const name = groupOf(record, by);
    let group = groups.get(name);
    if (group === undefined) groups.set(name, (group = new Tally()));
    group.add(record);
  }
  const rows = [...groups]
    .map(([name, tally]) => tally.row(name))
    .toSorted((a, b) => compare(comparedIn(a.name, by), comparedIn(b.name, by)) || byNumber(a, b));
  const compared = Map.groupBy(rows, ({ name }) => comparedIn(name, by));
  const best = new Set([...compared.values()].map(bestOf));
  const all = total.row(null);
  const open = all.durationMs + all.queuedMs + all.throttledMs;
  return {
    since,
    until,
    by,
    total: all,
    rows: rows.map((row) => (best.has(row) ? { ...row, isBest: true } : row)),
    failures: trends(recent, since, until),
    utilization: open === 0 ? null : all.durationMs / open,
    saturation: open === 0 ? null : all.queuedMs / open,
    amplification: all.runs === 0 ? null : all.attempts / all.runs,
    leftOut,
  };
}

function byNumber(a: MetricsRow, b: MetricsRow): number {
  return b.attempts - a.attempts || compare(a.name, b.name);
}

function compare(a: string | null, b: string | null): number {
  return (a ?? '') === (b ?? '') ? 0 : (a ?? '') < (b ?? '') ? -1 : 1;
}

/** One group is never the best. What gates found counts; without gates, what the agents completed. */
function bestOf(rows: readonly MetricsRow[]): MetricsRow | undefined {
  const judged = rows.filter((row) => row.name !== null && row.judged >= ENOUGH_ATTEMPTS);
  if (judged.length > 1)
    return judged.toSorted((a, b) => (b.verifiedShare?.low ?? 0) - (a.verifiedShare?.low ?? 0))[0];
  const enough = rows.filter((row) => row.name !== null && row.ended >= ENOUGH_ATTEMPTS);
  if (enough.length < 2) return undefined;
  return enough.toSorted((a, b) => (b.completedShare?.low ?? 0) - (a.completedShare?.low ?? 0))[0];
}

class Tally {
  #ended = 0;
  #completed = 0;
  #judged = 0;
  #verified = 0;
  #retries = 0;
  #modelMs: number | null = null;
  #toolMs: number | null = null;
  #throttledMs = 0;
  #queuedMs = 0;
  #tokens: number | null = null;
  #costUsd: number | null = null;
  #costPartial = false;
  readonly #durations: number[] = [];
  readonly #runs = new Set<string>();
  readonly #failures = new Map<string, number>();

  add(record: EndedAttempt): void {
    const { end, verdict, durationMs, modelMs, tokens, costUsd, reason } = record;
    this.#runs.add(record.run);
    this.#durations.push(durationMs);
    if (end === 'completed' || end === 'failed') this.#ended += 1;
    if (end === 'completed') this.#completed += 1;
    if (verdict !== null) this.#judged += 1;
    if (verdict === 'green') this.#verified += 1;
    if (record.isRetry) this.#retries += 1;
    if (modelMs !== null) {
      this.#modelMs = (this.#modelMs ?? 0) + modelMs;
      this.#toolMs = (this.#toolMs ?? 0) + Math.max(0, durationMs - modelMs);
    }
    this.#throttledMs += record.throttledMs;
    this.#queuedMs += record.queuedMs;
    if (tokens !== null) this.#tokens = (this.#tokens ?? 0) + tokens;
    // Without a token there is nothing to pay.
    if (costUsd === null) this.#costPartial ||= (tokens ?? 0) > 0;
    else this.#costUsd = (this.#costUsd ?? 0) + costUsd;
    if (reason !== null) this.#failures.set(reason, (this.#failures.get(reason) ?? 0) + 1);
  }

  row(name: string | null): MetricsRow {
    const sorted = Float64Array.from(this.#durations).sort();
    const isKnown = this.#costUsd !== null && !this.#costPartial;
    const perVerified =
      isKnown && this.#verified > 0 ? (this.#costUsd ?? 0) / this.#verified : null;
    return {
      name,
      attempts: sorted.length,
      runs: this.#runs.size,
      ended: this.#ended,
      completed: this.#completed,
      completedShare: wilsonInterval(this.#completed, this.#ended) ?? null,
      judged: this.#judged,
      verified: this.#verified,
      verifiedShare: wilsonInterval(this.#verified, this.#judged) ?? null,
      retries: this.#retries,
      durationMs: sorted.reduce((sum, one) => sum + one, 0),
      medianMs: sorted[Math.floor(sorted.length / 2)] ?? null,
      modelMs: this.#modelMs,
      toolMs: this.#toolMs,
      throttledMs: this.#throttledMs,
      queuedMs: this.#queuedMs,
      tokens: this.#tokens,
      costUsd: this.#costUsd,
      costPartial: this.#costPartial,
      costPerVerifiedUsd: perVerified,
      failures: [...this.#failures]
        .map(([reason, attempts]) => ({ reason, attempts }))
        .toSorted((a, b) => b.attempts - a.attempts || compare(a.reason, b.reason)),
      isBest: false,
    };
  }
}

/** The parts begin with the first attempt, if the window is longer than that. */
function trends(records: readonly EndedAttempt[], since: number, until: number): FailureTrend[] {
  const first = records.reduce((least, { endedAt }) => Math.min(least, endedAt), until);
  const from = Math.max(since, first);
  const length = Math.max(1, (until - from) / PARTS_OF_TIME);
  const found = new Map<string, { category: string | null; counts: number[] }>();
  for (const { reason, category, endedAt } of records) {
    if (reason === null) continue;
    let trend = found.get(reason);
    if (trend === undefined)
      found.set(reason, (trend = { category, counts: Array<number>(PARTS_OF_TIME).fill(0) }));
    trend.category ??= category;
    const part = Math.min(PARTS_OF_TIME - 1, Math.floor((endedAt - from) / length));
    trend.counts[part] = (trend.counts[part] ?? 0) + 1;
  }
  return [...found]
    .map(([reason, { category, counts }]) => {
      const attempts = counts.reduce((sum, one) => sum + one, 0);
      return { reason, category, attempts, counts };
    })
    .toSorted((a, b) => b.attempts - a.attempts || compare(a.reason, b.reason));
}
