/** How long one call is retried in all while its provider is limited or in trouble. */
import type { Instant } from '../../base/clock.ts';
import type { OutageRetries } from './outage-retries.ts';
import type { ProviderRefusal } from '../observe/read-limits.ts';
import { shortWaitMs } from '../observe/read-limits.ts';

/** What is wrong with an answer: the provider's own refusal, or no usable answer. */
export type ProviderTrouble = ProviderRefusal | 'no-answer';

/** The shortest wait before a retry, even if a provider names a shorter one. */
const WAIT_MS_MIN = 1000;

export class CallRetryPolicy {
  readonly #outages: OutageRetries;
  /** The remaining time for waits that the provider names. */
  #leftMs: number;
  /** The retries without a named wait, and how long they took. */
  #outageRetries = { count: 0, waitedMs: 0 };
  #isExhausted = false;

  constructor(limitPatienceMs: number, outages: OutageRetries) {
    this.#leftMs = limitPatienceMs;
    this.#outages = outages;
  }

  /** All retries were used, and the provider is still in trouble. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  /** The wait before the next retry. Undefined: the agent is to see the answer as it is. */
  waitMs(trouble: ProviderTrouble, now: Instant): number | undefined {
    const namedMs = trouble === 'no-answer' ? undefined : shortWaitMs(trouble, this.#leftMs, now);
    if (namedMs !== undefined) return this.#spend(Math.max(namedMs, WAIT_MS_MIN));
    if (trouble !== 'no-answer' && !isOutage(trouble)) return undefined;
    const { count, waitedMs } = this.#outageRetries;
    const waitMs = this.#outages.waitMs(count + 1, waitedMs);
    if (waitMs === undefined) this.#isExhausted = count > 0;
    else this.#outageRetries = { count: count + 1, waitedMs: waitedMs + waitMs };
    return waitMs;
  }

  #spend(ms: number): number | undefined {
    if (ms > this.#leftMs) return undefined;
    this.#leftMs -= ms;
    return ms;
  }
}

function isOutage({ cause }: ProviderRefusal): boolean {
  return cause === 'overloaded' || cause === 'server-error';
}
