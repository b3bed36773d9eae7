/** How long one call is held while its provider is limited or in trouble, over all the times that it is asked. */
import type { Instant } from '../../base/clock.ts';
import type { OutageRetries } from './outage-retries.ts';
import type { ProviderRefusal } from '../observe/read-limits.ts';
import { shortWaitMs } from '../observe/read-limits.ts';

/** What is wrong with an answer: the provider says so, or it is none. */
export type ProviderTrouble = ProviderRefusal | 'no-answer';

/** However short a wait a provider names, it is not asked again sooner. */
const WAIT_MS_MIN = 1000;

export class CallRetryPolicy {
  readonly #outages: OutageRetries;
  /** What is left for waits that the provider names. */
  #leftMs: number;
  /** How often it was asked again without such a name, and how long that took. */
  #again = { count: 0, waitedMs: 0 };
  #isAtItsEnd = false;

  constructor(limitPatienceMs: number, outages: OutageRetries) {
    this.#leftMs = limitPatienceMs;
    this.#outages = outages;
  }

  /** We have asked again for as long as it makes sense, and it is in trouble still. */
  get isAtItsEnd(): boolean {
    return this.#isAtItsEnd;
  }

  /** The wait until it is asked again; undefined: the agent is to see what there is. */
  waitMs(trouble: ProviderTrouble, now: Instant): number | undefined {
    const namedMs = trouble === 'no-answer' ? undefined : shortWaitMs(trouble, this.#leftMs, now);
    if (namedMs !== undefined) return this.#spend(Math.max(namedMs, WAIT_MS_MIN));
    if (trouble !== 'no-answer' && !isOutage(trouble)) return undefined;
    const { count, waitedMs } = this.#again;
    const waitMs = this.#outages.waitMs(count + 1, waitedMs);
    if (waitMs === undefined) this.#isAtItsEnd = count > 0;
    else this.#again = { count: count + 1, waitedMs: waitedMs + waitMs };
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
