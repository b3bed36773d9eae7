import type { Stats } from 'node:fs';
import { lstatSync } from 'node:fs';
import { yieldToEventLoop } from '../machine/yield-to-event-loop.ts';
import { isUnreadable, openDeepFolder } from './tree/deep-folder.ts';

export type DiskUse = {
  readonly bytes: number;
  /** Why not everything could be counted; null when everything was. */
  readonly uncounted: string | null;
  /**
   * Whether a file or folder was seen to change after the count began. If none was, the count is exact
   * for the moment when it began. If one was, bytes may have moved to where we had counted already.
   */
  readonly changed: boolean;
};

/** What a file takes at the least, however little is in it: a disk runs out of files as well as of bytes. */
const FILE_BYTES_LEAST = 4096;
/** Each level costs an open handle. No program that uses whole paths gets as deep. */
const DEPTH_MAX = 500;
/** Times of files lag behind the clock by up to a tick of the kernel, which is 10 ms at most. */
const TIME_LAG_MS = 20;
/** Some file systems keep whole seconds, or every second one. */
const COARSE_TIME_LAG_MS = 2000;
const KEPT_OUT = 'a folder stays closed to us';

/**
 * How many bytes of disk the files below these folders take, however they are named and nested. Links
 * are not followed, a file with several names counts once, and what disappears meanwhile is not
 * counted. Stops once there are more than `bytesMax`. Folders of ours that are closed are opened
 * while they are counted.
 */
export async function diskUse(
  folders: readonly string[],
  bytesMax: number,
  signal: AbortSignal,
): Promise<DiskUse> {
  const count = new Count(bytesMax, signal);
  for (const folder of folders) await count.below(Buffer.from(folder), 1);
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

  async below(path: Buffer, depth: number): Promise<void> {
    if (depth > DEPTH_MAX) {
      this.uncounted ??= `folders are nested more than ${DEPTH_MAX} deep`;
      return;
    }
    const opened = openDeepFolder(path, 'reading');
    if (opened === 'closed') this.uncounted ??= KEPT_OUT;
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
      await this.below(entry, depth + 1);
    }
    // Only now: what left it while we were further down is seen as well.
    this.#noteChange(folder.changedAtMs());
  }

  /** Every change sets this time, including those that free the bytes of a file which keeps its name. */
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
      if (isUnreadable(error)) this.uncounted ??= KEPT_OUT;
      return undefined; // gone
    }
  }

  #add(found: Stats): void {
    this.#noteChange(found.ctimeMs);
    if (found.nlink > 1 && !found.isDirectory()) {
      const id = `${found.dev}:${found.ino}`;
      if (this.#linked.has(id)) return;
      this.#linked.add(id);
    }
    this.bytes += Math.max(found.blocks * 512, FILE_BYTES_LEAST);
  }
}
