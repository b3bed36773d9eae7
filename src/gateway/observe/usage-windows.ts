/** Reads how much of a plan or a rate limit is left. Providers report this in the headers of good answers too. */
import { after } from '../../base/clock.ts';
import type { Instant } from '../../base/clock.ts';
import { readInstant, parseSpanMs } from './read-limits.ts';

export type UsageWindow = {
  /** For example `5h`, `7d`, `requests` or `input-tokens`. */
  readonly name: string;
  readonly limit: number | null;
  readonly used: number | null;
  readonly remaining: number | null;
  readonly usedPercent: number;
  readonly resetAt: Instant | null;
};

export type QuotaStatus = 'ok' | 'quota-low' | 'quota-exhausted';

type Headers = Readonly<Record<string, string>>;

const LOW_PERCENT = 10;

export function readWindows(headers: Headers, now: Instant): readonly UsageWindow[] {
  return [
    ...anthropicWindows(headers),
    ...subscriptionWindows(headers),
    ...openaiWindows(headers, now),
    ...codexWindows(headers, now),
  ];
}

/**
 * The worst of the lasting windows. The gateway itself waits for a window that resets within `patienceMs`, so such a
 * window does not count.
 */
export function quotaStatus(
  windows: readonly UsageWindow[],
  patienceMs: number,
  now: Instant,
): QuotaStatus {
  const lasting = windows.filter(({ resetAt }) => resetAt === null || resetAt - now > patienceMs);
  const left = Math.min(...lasting.map(({ usedPercent }) => 100 - usedPercent));
  if (left <= 0) return 'quota-exhausted';
  return left < LOW_PERCENT ? 'quota-low' : 'ok';
}

/** Most answers repeat the previous values. Only a change of at least one percent is news. */
export class WindowsSeen {
  readonly #last = new Map<string, string>();

  hasChanged(wire: string, windows: readonly UsageWindow[], status: QuotaStatus): boolean {
    if (windows.length === 0) return false;
    const parts = windows.map(({ name, usedPercent }) => `${name} ${Math.floor(usedPercent)}`);
    const text = [status, ...parts].join('\n');
    if (this.#last.get(wire) === text) return false;
    this.#last.set(wire, text);
    return true;
  }
}

function countedWindow(
  name: string,
  limitText: string | undefined,
  remainingText: string | undefined,
  resetAt: Instant | null,
): UsageWindow[] {
  const [limit, remaining] = [Number(limitText ?? Number.NaN), Number(remainingText ?? Number.NaN)];
  if (!(limit > 0) || !(remaining >= 0)) return [];
  const used = Math.max(0, limit - remaining);
  return [{ name, limit, used, remaining, usedPercent: (used / limit) * 100, resetAt }];
}

function percentWindow(name: string, usedPercent: number, resetAt: Instant | null): UsageWindow[] {
  if (!Number.isFinite(usedPercent)) return [];
  return [{ name, limit: null, used: null, remaining: null, usedPercent, resetAt }];
}

/** The per-minute limits of a key. */
function anthropicWindows(headers: Headers): readonly UsageWindow[] {
  return ['requests', 'tokens', 'input-tokens', 'output-tokens'].flatMap((name) => {
    const header = (what: string): string | undefined =>
      headers[`anthropic-ratelimit-${name}-${what}`];
    return countedWindow(name, header('limit'), header('remaining'), readInstant(header('reset')));
  });
}

/** The windows of a subscription, in hours and days. New ones appear by name. */
function subscriptionWindows(headers: Headers): readonly UsageWindow[] {
  const ending = '-utilization';
  const start = 'anthropic-ratelimit-unified-';
  return Object.entries(headers)
    .filter(([key]) => key.startsWith(start) && key.endsWith(ending))
    .flatMap(([key, value]) => {
      const name = key.slice(start.length, -ending.length);
      return percentWindow(
        name,
        Number(value) * 100,
        readInstant(headers[`${start}${name}-reset`]),
      );
    });
}

function openaiWindows(headers: Headers, now: Instant): readonly UsageWindow[] {
  return ['requests', 'tokens'].flatMap((name) => {
    const spanMs = parseSpanMs(headers[`x-ratelimit-reset-${name}`] ?? '');
    const resetAt = spanMs === undefined ? null : after(now, spanMs);
    const [limit, remaining] = ['limit', 'remaining'].map(
      (what) => headers[`x-ratelimit-${what}-${name}`],
    );
    return countedWindow(name, limit, remaining, resetAt);
  });
}

/** The two windows of a ChatGPT plan. */
function codexWindows(headers: Headers, now: Instant): readonly UsageWindow[] {
  return ['primary', 'secondary'].flatMap((which) => {
    const header = (what: string): string | undefined => headers[`x-codex-${which}-${what}`];
    const minutes = Number(header('window-minutes') ?? Number.NaN);
    const afterS = Number(header('reset-after-seconds') ?? Number.NaN);
    const resetAt = Number.isFinite(afterS)
      ? after(now, afterS * 1000)
      : readInstant(header('reset-at'));
    const percent = Number(header('used-percent') ?? Number.NaN);
    return percentWindow(Number.isFinite(minutes) ? spanName(minutes) : which, percent, resetAt);
  });
}

function spanName(minutes: number): string {
  if (minutes % 1440 === 0) return `${minutes / 1440}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}
