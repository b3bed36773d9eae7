/**
 * A queue with a bound, between producers that may run ahead and one consumer. Nothing here
 * grows without limit: a full queue says so, and the producer decides whether to wait or to drop.
 */
export class BoundedQueue<Item> {
  readonly #itemsMax: number;
  #items: Item[] = [];
  #closed = false;
  #wakeConsumer: (() => void) | undefined;
  #wakeProducers: (() => void)[] = [];

  constructor(itemsMax: number) {
    if (!(itemsMax >= 1)) throw new RangeError(`a queue needs room for one item: ${itemsMax}`);
    this.#itemsMax = itemsMax;
  }

  get size(): number {
    return this.#items.length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** False when there is no room, or when the queue is closed: the item was not taken. */
  offer(item: Item): boolean {
    if (this.#closed || this.#items.length >= this.#itemsMax) return false;
    this.#items.push(item);
    this.#wakeConsumer?.();
    return true;
  }

  /** Waits for room. False when the queue was closed instead. */
  async push(item: Item): Promise<boolean> {
    while (!this.#closed && this.#items.length >= this.#itemsMax) {
      await new Promise<void>((resolve) => this.#wakeProducers.push(resolve));
    }
    return this.offer(item);
  }

  /** No more items; those already inside are still handed out. */
  close(): void {
    this.#closed = true;
    this.#wakeConsumer?.();
    this.#letProducersIn();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (;;) {
      const taken = this.#items;
      this.#items = [];
      this.#letProducersIn();
      yield* taken;
      if (this.#items.length > 0) continue;
      if (this.#closed) return;
      await new Promise<void>((resolve) => (this.#wakeConsumer = resolve));
    }
  }

  /** All of them look again; whoever finds no room waits on. */
  #letProducersIn(): void {
    const waiting = this.#wakeProducers;
    this.#wakeProducers = [];
    for (const wake of waiting) wake();
  }
}
