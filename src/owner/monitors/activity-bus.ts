/**
 * Distributes the observed activity of agents to the monitors. A publisher never waits and never
 * gets an error: each subscription has its own bounded queue.
 */
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { RunId } from '../../base/ids.ts';
import type { AgentActivity } from '../../protocol/activity.ts';

export type ObservedActivity = { readonly run: RunId; readonly activity: AgentActivity };

/**
 * The bound of a queue. An agent cannot hide by doing more than that at once: `takeLost` reports
 * how much was dropped.
 */
const QUEUE_MAX = 10_000;

export class ActivityBus {
  readonly #subscriptions = new Set<ActivitySubscription>();

  readonly publish = (run: RunId, activity: AgentActivity): void => {
    for (const subscription of this.#subscriptions) subscription.push({ run, activity });
  };

  /** Ends when the signal aborts. */
  subscribe(signal: AbortSignal, queueMax = QUEUE_MAX): ActivitySubscription {
    const subscription = new ActivitySubscription(queueMax);
    this.#subscriptions.add(subscription);
    const unsubscribe = (): void => {
      this.#subscriptions.delete(subscription);
      subscription.close();
    };
    if (signal.aborted) unsubscribe();
    else signal.addEventListener('abort', unsubscribe, { once: true });
    return subscription;
  }
}

export class ActivitySubscription implements AsyncIterable<ObservedActivity> {
  readonly #queue: BoundedQueue<ObservedActivity>;
  readonly #lost = new Map<RunId, number>();

  constructor(queueMax: number) {
    this.#queue = new BoundedQueue(queueMax);
  }

  push(observed: ObservedActivity): void {
    if (this.#queue.closed || this.#queue.offer(observed)) return;
    this.#lost.set(observed.run, (this.#lost.get(observed.run) ?? 0) + 1);
  }

  close(): void {
    this.#queue.close();
  }

  /**
   * How many activities of each run were dropped since the last call, because the queue was full.
   */
  takeLost(): ReadonlyMap<RunId, number> {
    const lost = new Map(this.#lost);
    this.#lost.clear();
    return lost;
  }

  [Symbol.asyncIterator](): AsyncIterator<ObservedActivity> {
    return this.#queue[Symbol.asyncIterator]();
  }
}
