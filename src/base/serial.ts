/** Runs tasks one at a time, in the order in which they were added. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as `task` does. A task that fails does not stop the ones after it. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined); // the caller of `run` gets the error
    return result;
  }

  /** Resolves when every task added so far has ended, well or badly. */
  idle(): Promise<unknown> {
    return this.#last;
  }
}

/** One queue for each key, so that a slow task delays only the tasks of its own key. A queue that is empty is dropped. */
export class KeyedSerial {
  readonly #queues = new Map<string, { readonly serial: Serial; tasks: number }>();

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(key) ?? { serial: new Serial(), tasks: 0 };
    this.#queues.set(key, queue);
    queue.tasks += 1;
    try {
      return await queue.serial.run(task);
    } finally {
      queue.tasks -= 1;
      if (queue.tasks === 0) this.#queues.delete(key);
    }
  }

  /** How many keys have tasks that have not ended. */
  get size(): number {
    return this.#queues.size;
  }
}
