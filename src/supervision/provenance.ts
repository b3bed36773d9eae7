/**
 * What each child was made from. Content is known by its hash: a child is stale once something it
 * consumes is not what it was when the child started, and only then.
 */
import type { ChildSpec } from './child.ts';

type Hashes = Readonly<Record<string, string>>;

export class Provenance {
  readonly #current = new Map<string, string>();
  /** By child: the hash of each thing it consumes, as it was at its start. */
  readonly #consumed = new Map<string, ReadonlyMap<string, string | undefined>>();
  #hasChanged = false;

  publish(hashes: Hashes): void {
    for (const [name, hash] of Object.entries(hashes)) this.#set(name, hash);
  }

  /** Whether anything has changed since this was last asked. */
  takeChange(): boolean {
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hasChanged;
  }

  /** To be called before it starts: what changes while it starts makes it stale. */
  starting({ id, consumes = [] }: ChildSpec): void {
    if (consumes.length === 0) return;
    this.#consumed.set(id, new Map(consumes.map((name) => [name, this.#current.get(name)])));
  }

  /** Of what it says it produced, only what its spec declares counts. */
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
 * In start order, each thing has one producer, which comes before all who consume it: so one walk
 * in start order finds everybody who is stale, and no change can run in a circle.
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
