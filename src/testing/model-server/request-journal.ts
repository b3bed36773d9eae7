import type { Instant } from '../../base/clock.ts';
import type { CallKind } from '../../gateway/calls/classify-call.ts';
import type { WireName } from './model-wire.ts';

/** What the server did with a request. */
export type Answered =
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'side' | 'compaction' | 'count' | 'models' | 'probe' }
  | { readonly kind: 'fault'; readonly fault: string; readonly step: number }
  | { readonly kind: 'refused'; readonly rule: string; readonly message: string };

/** One request and its answer. */
export type RecordedExchange = {
  /** Counts from 1 in the order of arrival. */
  readonly number: number;
  readonly at: Instant;
  readonly method: string;
  readonly path: string;
  readonly wire: WireName;
  readonly kind: CallKind;
  readonly conversation: string;
  readonly model: string;
  readonly stream: boolean;
  readonly toolResults: number;
  /** Keys and cookies are left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly bytes: number;
  readonly answered: Answered;
  readonly status: number;
  /** Broken rules that the server does not enforce. */
  readonly tolerated: readonly string[];
  /** `open` while bytes may still come. */
  readonly end: 'open' | 'sent' | 'cut' | 'left-by-client';
};

type Waiter = {
  readonly fits: (exchange: RecordedExchange) => boolean;
  readonly resolve: (exchange: RecordedExchange) => void;
};

export type JournalBounds = { readonly countMax: number; readonly bytesMax: number };

/** The last requests, bounded by their number and by the bytes of their bodies. */
export class RequestJournal {
  readonly #bounds: JournalBounds;
  #exchanges: RecordedExchange[] = [];
  #bytes = 0;
  #dropped = 0;
  readonly #waiters = new Set<Waiter>();

  constructor(bounds: JournalBounds) {
    this.#bounds = bounds;
  }

  /** How many old requests were dropped to stay within the bounds. */
  get dropped(): number {
    return this.#dropped;
  }

  all(): readonly RecordedExchange[] {
    return [...this.#exchanges];
  }

  add(exchange: RecordedExchange): void {
    this.#exchanges.push(exchange);
    this.#bytes += exchange.bytes;
    while (this.#exchanges.length > 1 && this.#isOver()) {
      this.#bytes -= this.#exchanges.shift()?.bytes ?? 0;
      this.#dropped += 1;
    }
    this.#tell(exchange);
  }

  #isOver(): boolean {
    return this.#exchanges.length > this.#bounds.countMax || this.#bytes > this.#bounds.bytesMax;
  }

  end(number: number, end: RecordedExchange['end']): void {
    const at = this.#exchanges.findIndex((exchange) => exchange.number === number);
    const open = this.#exchanges[at];
    if (open?.end !== 'open') return;
    const ended = { ...open, end };
    this.#exchanges[at] = ended;
    this.#tell(ended);
  }

  #tell(exchange: RecordedExchange): void {
    for (const waiter of this.#waiters) if (waiter.fits(exchange)) waiter.resolve(exchange);
  }

  /**
   * The first request that fits, past or future. Rejects with the signal's reason when that aborts.
   */
  wait(
    fits: (exchange: RecordedExchange) => boolean,
    signal: AbortSignal,
  ): Promise<RecordedExchange> {
    const known = this.#exchanges.find(fits);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        fits,
        resolve: (exchange) => {
          settle();
          resolve(exchange);
        },
      };
      const onAbort = (): void => {
        settle();
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }
}

const SECRETS = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
]);

export function withoutSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRETS.has(name) ? '[redacted]' : value,
    ]),
  );
}

/** Google accepts a key in the query as well. */
export function withoutKey(path: string): string {
  return path.replace(/([?&]key=)[^&]*/g, '$1[redacted]');
}
