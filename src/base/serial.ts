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
