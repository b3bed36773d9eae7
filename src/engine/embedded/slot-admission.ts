/** Offers free slots to the runs that wait for one, when the queue changes and when a rate allows the next start. */
import type { Clock, Instant } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { LimitPool } from '../limits.ts';

export class SlotAdmission {
  readonly #limits: LimitPool;
  readonly #clock: Clock;
  readonly #closed: AbortSignal;
  readonly #poke: (run: RunId) => Promise<void> | undefined;
  #rateTimer: AbortController | undefined;
  #isDue = false;

  /** `poke` lets a run ask again. After `closed` no run is offered a slot. */
  constructor(
    limits: LimitPool,
    clock: Clock,
    closed: AbortSignal,
    poke: (run: RunId) => Promise<void> | undefined,
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#closed = closed;
    this.#poke = poke;
    closed.addEventListener('abort', () => this.#rateTimer?.abort(), { once: true });
  }

  /** Looks at the queue once, however many changes one turn of the event loop makes. */
  queueChanged(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#admitWaiting();
    });
  }

  /** In the order of the queue. Sets a timer for the next free start of a rate. */
  #admitWaiting(): void {
    if (this.#closed.aborted) return;
    const now = this.#clock.now();
    const runs = new Set(this.#limits.ready(now).map((token) => token.split('/')[0] as RunId));
    for (const run of runs) void this.#poke(run)?.catch(() => undefined); // the driver reports its defect
    const nextStart = this.#limits.nextStartTime(now);
    this.#rateTimer?.abort();
    if (nextStart === undefined) return;
    const timer = new AbortController();
    this.#rateTimer = timer;
    void this.#admitWaitingAt(nextStart, timer.signal);
  }

  /** Sleeps for a duration, not until a time: a clock that is set back must not stop the queue. */
  async #admitWaitingAt(nextStart: Instant, signal: AbortSignal): Promise<void> {
    if (await this.#clock.sleep(nextStart - this.#clock.now(), signal)) this.#admitWaiting();
  }
}
