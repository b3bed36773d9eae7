/**
 * Takes over what somebody who is not trusted has put into a folder: plain files only, each once and
 * within bounds. What is anything else is refused by name, and nothing outside the folder is ever read.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, read } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errnoCode } from '../errno.ts';
import { makeFolders } from '../make-folders.ts';
import { openBeneath } from './open-beneath.ts';
import type { TreeEntry } from './read-tree.ts';
import { listTreeFolder } from './read-tree.ts';

export type CollectBounds = {
  readonly filesMax: number;
  readonly fileBytesMax: number;
  readonly bytesMax: number;
  readonly depthMax: number;
  /** Folders, files and whatever else, taken or not: how much is looked at. */
  readonly entriesMax: number;
};

export type CollectedFile = { readonly path: string; readonly bytes: number };
export type RefusedFile = { readonly path: string; readonly why: string };
export type CollectedFiles = {
  readonly files: readonly CollectedFile[];
  readonly refused: readonly RefusedFile[];
};

/** What a name may hold: whoever prints or writes it must come to no harm. */
const HARMFUL = /[\p{Cc}\p{Cf}\u2028\u2029\\]/u;
const NAME_BYTES_MAX = 255;

/** `into` must not hold anything yet; `signal` ends it early, and the rest is refused for that. */
export async function collectFiles(
  from: string,
  into: string,
  bounds: CollectBounds,
  signal: AbortSignal,
): Promise<CollectedFiles> {
  const collecting = new Collecting(from, into, bounds, signal);
  await collecting.folder('', 0);
  return { files: collecting.files, refused: collecting.refused };
}

class Collecting {
  readonly #from: string;
  readonly #into: string;
  readonly #bounds: CollectBounds;
  readonly #signal: AbortSignal;
  readonly files: CollectedFile[] = [];
  readonly refused: RefusedFile[] = [];
  #entries = 0;
  #bytes = 0;

  constructor(from: string, into: string, bounds: CollectBounds, signal: AbortSignal) {
    this.#from = from;
    this.#into = into;
    this.#bounds = bounds;
    this.#signal = signal;
  }

  async folder(folder: string, depth: number): Promise<void> {
    const entries = await listTreeFolder(this.#from, folder).catch(() => undefined);
    if (entries === undefined) return this.#refuse(folder, "it can't be read");
    for (const entry of entries) {
      this.#entries += 1;
      if (this.#entries > this.#bounds.entriesMax) {
        if (this.#entries === this.#bounds.entriesMax + 1)
          this.#refuse(folder, `more than ${this.#bounds.entriesMax} entries are not looked at`);
        return;
      }
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const why = this.#signal.aborted ? 'the time for it was over' : objection(entry);
      if (why !== undefined) this.#refuse(path, why);
      else if (entry.kind !== 'folder') await this.#file(path);
      else if (depth >= this.#bounds.depthMax) this.#refuse(path, 'it lies too deep');
      else await this.folder(path, depth + 1);
    }
  }

  async #file(path: string): Promise<void> {
    const { filesMax, fileBytesMax, bytesMax } = this.#bounds;
    if (this.files.length >= filesMax) return this.#refuse(path, `there are ${filesMax} already`);
    const room = Math.min(fileBytesMax, bytesMax - this.#bytes);
    const taken = await takeFile(this.#from, path, join(this.#into, path), room);
    if (typeof taken === 'string') return this.#refuse(path, taken);
    this.#bytes += taken;
    this.files.push({ path, bytes: taken });
  }

  #refuse(path: string, why: string): void {
    if (this.refused.length < this.#bounds.filesMax) this.refused.push({ path: spelt(path), why });
  }
}

function objection({ name, kind, hasTextName }: TreeEntry): string | undefined {
  if (!hasTextName) return 'its name is no text';
  if (HARMFUL.test(name)) return 'its name has characters that a name should not have';
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) return 'its name is too long';
  if (kind === 'symlink') return 'it is a link';
  return kind === 'special' ? 'it is no plain file' : undefined;
}

/** A name that was refused may be printed all the same. */
function spelt(path: string): string {
  return path.replace(new RegExp(HARMFUL, 'gu'), '\uFFFD').slice(0, 1000);
}

/** How many bytes there were, or why it was not taken. */
async function takeFile(
  root: string,
  path: string,
  to: string,
  bytesMax: number,
): Promise<number | string> {
  const slash = path.lastIndexOf('/');
  const taken = await openBeneath(root, path.slice(0, Math.max(slash, 0)), async (at) => {
    const entry = at(path.slice(slash + 1));
    let fd: number | undefined;
    try {
      // A device is not even opened: that alone can have an effect.
      if (!lstatSync(entry).isFile()) return 'it is no plain file';
      fd = openSync(entry, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const { size, nlink } = fstatSync(fd);
      if (!fstatSync(fd).isFile()) return 'it is no plain file';
      if (nlink !== 1) return 'it has a second name elsewhere';
      if (size > bytesMax) return `its ${size} bytes are more than there is room for`;
      return await copyAtMost(fd, to, bytesMax);
    } catch (error) {
      if (['EACCES', 'EPERM', 'ELOOP', 'ENXIO', 'ENOENT'].includes(errnoCode(error)))
        return "it can't be read";
      throw error; // a disk that fails is no property of a file
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  });
  return taken ?? 'its folder is gone';
}

const readSome = promisify(read);
const PIECE_BYTES = 1_000_000;

/** A file may grow while it is read, or be smaller than it says. */
async function copyAtMost(fd: number, to: string, bytesMax: number): Promise<number | string> {
  await makeFolders(dirname(to), 0o700);
  let length = 0;
  {
    await using file = await open(to, 'wx', 0o600);
    const piece = Buffer.alloc(PIECE_BYTES);
    for (;;) {
      const { bytesRead } = await readSome(fd, piece, 0, piece.length, length);
      if (bytesRead === 0 || length + bytesRead > bytesMax) {
        if (bytesRead > 0) length = bytesMax + 1;
        break;
      }
      await file.writeFile(piece.subarray(0, bytesRead));
      length += bytesRead;
    }
    await file.sync();
  }
  if (length <= bytesMax) return length;
  await rm(to, { force: true });
  return 'it grew while it was read';
}
