/**
 * What agents are seen doing, from those who see it to those who watch. Whoever tells never waits and is
 * never told of a fault: each who listens has a queue of its own, with a bound.
 */
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { RunId } from '../../base/ids.ts';
import type { AgentActivity } from '../../protocol/activity.ts';

export type ObservedActivity = { readonly run: RunId; readonly sighting: AgentActivity };

/** What comes while nobody takes anything. An agent that does more than that at once is not hidden by it: see `lost`. */
const QUEUE_MAX = 10_000;

export class ActivityBus {
  readonly #ears = new Set<ActivitySubscription>();

  readonly tell = (run: RunId, sighting: AgentActivity): void => {
    for (const ear of this.#ears) ear.hear({ run, sighting });
  };

  /** Until the signal aborts. */
  listen(signal: AbortSignal, queueMax = QUEUE_MAX): ActivitySubscription {
    const ear = new ActivitySubscription(queueMax);
    this.#ears.add(ear);
    const leave = (): void => {
      this.#ears.delete(ear);
      ear.close();
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return ear;
  }
}

export class ActivitySubscription implements AsyncIterable<ObservedActivity> {
  readonly #queue: BoundedQueue<ObservedActivity>;
  readonly #lost = new Map<RunId, number>();

  constructor(queueMax: number) {
    this.#queue = new BoundedQueue(queueMax);
  }

  hear(seen: ObservedActivity): void {
    if (this.#queue.closed || this.#queue.offer(seen)) return;
    this.#lost.set(seen.run, (this.#lost.get(seen.run) ?? 0) + 1);
  }

  close(): void {
    this.#queue.close();
  }

  /** How much of what each did was not heard since the last time, because it was too much at once. */
  takeLost(): ReadonlyMap<RunId, number> {
    const lost = new Map(this.#lost);
    this.#lost.clear();
    return lost;
  }

  [Symbol.asyncIterator](): AsyncIterator<ObservedActivity> {
    return this.#queue[Symbol.asyncIterator]();
  }
}
