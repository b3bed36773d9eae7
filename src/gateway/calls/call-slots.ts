export interface SlotSource {
  /** Resolves with how to give the slot back, or undefined when the signal aborts first. */
  take(signal: AbortSignal): Promise<Disposable | undefined>;
}

/** How many model calls of one project are under way at once; the others wait in order. */
export class CallSlots implements SlotSource {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(callsMax: number) {
    if (!(callsMax >= 1)) throw new RangeError(`at least one call must be allowed: ${callsMax}`);
    this.#free = callsMax;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  async take(signal: AbortSignal): Promise<Disposable | undefined> {
    if (signal.aborted) return undefined;
    if (this.#free > 0) {
      this.#free -= 1;
    } else {
      const given = await new Promise<boolean>((resolve) => {
        const turn = (): void => {
          signal.removeEventListener('abort', leave);
          resolve(true);
        };
        const leave = (): void => {
          this.#queue.splice(this.#queue.indexOf(turn), 1);
          resolve(false);
        };
        signal.addEventListener('abort', leave, { once: true });
        this.#queue.push(turn);
      });
      if (!given) return undefined;
    }
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#giveBack();
        held = false;
      },
    };
  }

  /** Straight to the next in the queue, so that nobody slips in between. */
  #giveBack(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
