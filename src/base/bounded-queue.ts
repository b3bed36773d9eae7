/**
 * A bounded queue between producers and consumers. If it is full, the producer decides whether to
 * wait or to drop. Each item goes to one consumer. If a consumer stops early, the next one gets the
 * remaining items.
 */
export class BoundedQueue<Item> {
  readonly #itemsMax: number;
  readonly #items: Item[] = [];
  #closed = false;
  /** Waiting producers and consumers. Each change wakes all of them, and each checks again. */
  #waiting: (() => void)[] = [];

  constructor(itemsMax: number) {
    if (!(itemsMax >= 1))
      throw new RangeError(`a queue needs space for at least one item: ${itemsMax}`);
    this.#itemsMax = itemsMax;
  }

  get size(): number {
    return this.#items.length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** False if the queue is full or closed. The item is not added then. */
  offer(item: Item): boolean {
    if (this.#closed || this.#items.length >= this.#itemsMax) return false;
    this.#items.push(item);
    this.#wake();
    return true;
  }

  /** Waits for space. False if the queue is closed first. */
  async push(item: Item): Promise<boolean> {
    while (!this.#closed && this.#items.length >= this.#itemsMax) {
      await this.#change();
    }
    return this.offer(item);
  }

  /** Accepts no more items. Consumers still get the remaining ones. */
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
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
