/**
 * Tracks the inputs of each child by content hash. A child is stale when an input has changed since the
 * child started, and only then.
 */
import type { ChildSpec } from './child.ts';

type Hashes = Readonly<Record<string, string>>;

export class Provenance {
  readonly #current = new Map<string, string>();
  /** By child: the hash of each input at the child's start. */
  readonly #consumed = new Map<string, ReadonlyMap<string, string | undefined>>();
  #hasChanged = false;

  publish(hashes: Hashes): void {
    for (const [name, hash] of Object.entries(hashes)) this.#set(name, hash);
  }

  /** Whether anything has changed since the last call. */
  takeChange(): boolean {
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hasChanged;
  }

  /** Call before the start: an input that changes during the start makes the child stale. */
  starting({ id, consumes = [] }: ChildSpec): void {
    if (consumes.length === 0) return;
    this.#consumed.set(id, new Map(consumes.map((name) => [name, this.#current.get(name)])));
  }

  /** Only outputs that the spec declares count. */
  started({ produces = [] }: ChildSpec, produced: Hashes = {}): void {
    for (const [name, hash] of Object.entries(produced))
      if (produces.includes(name)) this.#set(name, hash);
  }

  isStale(id: string): boolean {
    for (const [name, hash] of this.#consumed.get(id) ?? [])
      if (this.#current.get(name) !== hash) return true;
    return false;
  }

  forget(id: string): void {
    this.#consumed.delete(id);
  }

  #set(name: string, hash: string): void {
    if (this.#current.get(name) === hash) return;
    this.#current.set(name, hash);
    this.#hasChanged = true;
  }
}

/**
 * Each thing has one producer, which starts before its consumers. So one walk in start order finds all
 * stale children, and changes can't form a cycle.
 */
export function problemWithProvenance(inStartOrder: Iterable<ChildSpec>): string | undefined {
  const producers = new Map<string, string>();
  const consumers = new Map<string, string>();
  for (const { id, consumes = [], produces = [] } of inStartOrder) {
    for (const name of consumes) consumers.set(name, id);
    for (const name of produces) {
      const [producer, consumer] = [producers.get(name), consumers.get(name)];
      if (producer !== undefined) return `both ${producer} and ${id} produce ${name}`;
      if (consumer !== undefined)
        return `${consumer} consumes ${name} and would start before ${id}, which produces it`;
      producers.set(name, id);
    }
  }
  return undefined;
}
