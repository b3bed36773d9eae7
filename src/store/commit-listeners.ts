/** The listeners that are notified of commits. */
export class CommitListeners {
  readonly #listeners = new Set<{ readonly notify: (lastId: number) => void }>();

  add(notify: (lastId: number) => void): () => void {
    const listener = { notify }; // a new object each time: one function may listen twice
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  notifyAll(lastId: number): void {
    for (const { notify } of this.#listeners) {
      try {
        notify(lastId);
      } catch {
        // the facts are durable, and a bug of one listener must not affect the others
      }
    }
  }
}
