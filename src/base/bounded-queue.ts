/**
 * A queue with a bound, between producers that may run ahead and consumers. Nothing here grows
 * without limit: a full queue says so, and the producer decides whether to wait or to drop. Each
 * item goes to one consumer; one that leaves early leaves the rest to the next.
 */
export class BoundedQueue<Item> {
  readonly #itemsMax: number;
  readonly #items: Item[] = [];
  #closed = false;
  /** Those who wait for a change; each looks again for itself. */
  #sleepers: (() => void)[] = [];

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
    this.#wake();
    return true;
  }

  /** Waits for room. False when the queue was closed instead. */
  async push(item: Item): Promise<boolean> {
    while (!this.#closed && this.#items.length >= this.#itemsMax) {
      await this.#change();
    }
    return this.offer(item);
  }

  /** No more items; those already inside are still handed out. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (;;) {
      while (this.#items.length > 0) {
        const item = this.#items.shift() as Item;
        this.#wake();
        yield item;
      }
      if (this.#closed) return;
      await this.#change();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#sleepers.push(resolve));
  }

  #wake(): void {
    const sleepers = this.#sleepers;
    this.#sleepers = [];
    for (const wake of sleepers) wake();
  }
}
