/** Those who want to hear of commits. */
export class CommitListeners {
  readonly #listeners = new Set<{ readonly hear: (lastId: number) => void }>();

  add(hear: (lastId: number) => void): () => void {
    const listener = { hear }; // a new object each time: one function may listen twice
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  tell(lastId: number): void {
    for (const { hear } of this.#listeners) {
      try {
        hear(lastId);
      } catch {
        // the facts are durable: a bystander's bug neither undoes that nor keeps it from the others
      }
    }
  }
}
