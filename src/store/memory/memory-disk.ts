/**
 * A disk without a machine. What is written on it becomes durable in three steps, as a log does: it is
 * written, it is committed, and it is synced. A loss of power takes what is not synced, or some of it.
 */
import type { Random } from '../../base/random.ts';
import { randomInt } from '../../base/random.ts';

/** To crash is to drop the journal and to open another one on the same disk. */
export class MemoryDisk {
  /** While true, whatever is written is refused with `store.full`. */
  full = false;
  /** One event a line; the event with id 1 is the first. */
  readonly events: string[] = [];
  readonly snapshots = new Map<string, { readonly seq: number; readonly text: string }>();
  /** Goes up with every opening. Only the latest journal may write: those before it are dead. */
  openings = 0;
  /** Called when something is committed and not synced: the worst moment for the power to fail. */
  onSync: (() => void) | undefined;
  #synced = 0;
  /** How many events there were after each commit since the last sync. */
  #commits: number[] = [];

  /** What is written so far belongs together: all of it is there after a loss of power, or nothing. */
  commit(): void {
    this.#commits.push(this.events.length);
  }

  sync(): void {
    this.onSync?.();
    this.#synced = this.events.length;
    this.#commits = [];
  }

  /** The power fails. What a sync has brought to the disk stays; of the rest, as many commits as `luck` says. */
  losePower(luck: Random): void {
    const whole = [this.#synced, ...this.#commits];
    this.events.length = whole[randomInt(luck, 0, whole.length - 1)] ?? this.#synced;
    this.#synced = this.events.length;
    this.#commits = [];
    this.onSync = undefined;
  }
}
