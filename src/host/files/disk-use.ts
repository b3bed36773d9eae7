import type { Stats } from 'node:fs';
import { lstatSync } from 'node:fs';
import { yieldToEventLoop } from '../machine/yield-to-event-loop.ts';
import { isUnreadable, openDeepFolder } from './tree/deep-folder.ts';

export type DiskUse = {
  readonly bytes: number;
  /** Why not everything could be counted. Null if everything was. */
  readonly uncounted: string | null;
  /**
   * Whether a file or folder changed after the count began. If none did, the count is exact for the moment when it
   * began. If one did, bytes may have moved to a place that was already counted.
   */
  readonly changed: boolean;
};

/** The minimum that a file takes, however small it is: a disk runs out of files as well as of bytes. */
const FILE_BYTES_MIN = 4096;
/** Each level needs an open handle. No program that uses whole paths gets this deep. */
const DEPTH_MAX = 500;
/** File times lag behind the clock by up to one kernel tick, which is at most 10 ms. */
const TIME_LAG_MS = 20;
/** Some file systems store whole seconds, or only every second one. */
const COARSE_TIME_LAG_MS = 2000;
const NO_ACCESS = 'a folder cannot be opened';

/**
 * How many bytes of disk the files below these folders take, whatever their names and depth. Links are not followed,
 * a file with several names counts once, and files that disappear meanwhile do not count. Stops once the sum exceeds
 * `bytesMax`. Our own closed folders are opened while they are counted.
 */
export async function diskUse(
  folders: readonly string[],
  bytesMax: number,
  signal: AbortSignal,
): Promise<DiskUse> {
  const count = new Count(bytesMax, signal);
  for (const folder of folders) await count.countBelow(Buffer.from(folder), 1);
  return { bytes: count.bytes, uncounted: count.uncounted, changed: count.changed };
}

class Count {
  bytes = 0;
  uncounted: string | null = null;
  changed = false;
  readonly #begunMs = Date.now();
  readonly #bytesMax: number;
  readonly #signal: AbortSignal;
  readonly #linked = new Set<string>();

  constructor(bytesMax: number, signal: AbortSignal) {
    this.#bytesMax = bytesMax;
    this.#signal = signal;
  }

  async countBelow(path: Buffer, depth: number): Promise<void> {
    if (depth > DEPTH_MAX) {
      this.uncounted ??= `folders are nested more than ${DEPTH_MAX} deep`;
      return;
    }
    const opened = openDeepFolder(path, 'reading');
    if (opened === 'closed') this.uncounted ??= NO_ACCESS;
    if (typeof opened === 'string') return;
    using folder = opened;
    const inner: Buffer[] = [];
    for (const name of folder.names()) {
      if (this.#isEnough) return;
      const entry = folder.at(name);
      const found = this.#lstat(entry);
      if (found === undefined) continue;
      if (found.isDirectory()) inner.push(entry);
      this.#add(found);
      await yieldToEventLoop();
    }
    for (const entry of inner) {
      if (this.#isEnough) return;
      await this.countBelow(entry, depth + 1);
    }
    // Checked last, so that entries that left the folder while we were deeper are noticed too.
    this.#noteChange(folder.changedAtMs());
  }

  /** Every change sets this time, including one that frees the bytes of a file which keeps its name. */
  #noteChange(changedAtMs: number): void {
    const lagMs = changedAtMs % 1000 === 0 ? COARSE_TIME_LAG_MS : TIME_LAG_MS;
    if (changedAtMs >= this.#begunMs - lagMs) this.changed = true;
  }

  get #isEnough(): boolean {
    return this.#signal.aborted || this.bytes > this.#bytesMax;
  }

  #lstat(path: Buffer): Stats | undefined {
    try {
      return lstatSync(path);
    } catch (error) {
      if (isUnreadable(error)) this.uncounted ??= NO_ACCESS;
      return undefined; // it no longer exists
    }
  }

  #add(found: Stats): void {
    this.#noteChange(found.ctimeMs);
    if (found.nlink > 1 && !found.isDirectory()) {
      const id = `${found.dev}:${found.ino}`;
      if (this.#linked.has(id)) return;
      this.#linked.add(id);
    }
    this.bytes += Math.max(found.blocks * 512, FILE_BYTES_MIN);
  }
}
