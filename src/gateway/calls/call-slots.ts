export interface SlotSource {
  /** Resolves with a disposable that releases the slot, or with undefined if the signal aborts first. */
  take(signal: AbortSignal): Promise<Disposable | undefined>;
}

/** Limits the concurrent model calls of one project. Further calls wait in order. */
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
        const grant = (): void => {
          signal.removeEventListener('abort', leave);
          resolve(true);
        };
        const leave = (): void => {
          this.#queue.splice(this.#queue.indexOf(grant), 1);
          resolve(false);
        };
        signal.addEventListener('abort', leave, { once: true });
        this.#queue.push(grant);
      });
      if (!given) return undefined;
    }
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#release();
        held = false;
      },
    };
  }

  /** Passes the slot to the next call in the queue, so that a new call cannot overtake it. */
  #release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
