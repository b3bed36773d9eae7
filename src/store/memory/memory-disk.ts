/**
 * A simulated disk. Data on it becomes durable in three steps, as in a log: it is written, committed and synced. A
 * power failure loses everything that is not synced, or part of it.
 */
import type { Random } from '../../base/random.ts';
import { randomInt } from '../../base/random.ts';

/** A crash is simulated by dropping the journal and opening another one on the same disk. */
export class MemoryDisk {
  /** While true, every write is refused with `store.full`. */
  full = false;
  /** One event per line. The event with id 1 is the first. */
  readonly events: string[] = [];
  readonly snapshots = new Map<string, { readonly seq: number; readonly text: string }>();
  /** Incremented with every opening. Only the latest journal may write; earlier ones are dead. */
  openings = 0;
  /** Called when data is committed and not synced: the worst moment for a power failure. */
  onSync: (() => void) | undefined;
  #synced = 0;
  /** The number of events after each commit since the last sync. */
  #commits: number[] = [];

  /** Everything written so far belongs together: after a power failure all of it exists, or nothing. */
  commit(): void {
    this.#commits.push(this.events.length);
  }

  sync(): void {
    this.onSync?.();
    this.#synced = this.events.length;
    this.#commits = [];
  }

  /** The power fails. Synced data stays. Of the rest, `random` decides how many commits survive. */
  losePower(random: Random): void {
    const possibleLengths = [this.#synced, ...this.#commits];
    this.events.length =
      possibleLengths[randomInt(random, 0, possibleLengths.length - 1)] ?? this.#synced;
    this.#synced = this.events.length;
    this.#commits = [];
    this.onSync = undefined;
  }
}
