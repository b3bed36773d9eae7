/**
 * Collects files that an untrusted program has put into a folder: plain files only, each once and within bounds.
 * Anything else is refused by name, and nothing outside the folder is ever read.
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
  /** All entries, collected or not: how many are inspected. */
  readonly entriesMax: number;
};

type CollectedFile = { readonly path: string; readonly bytes: number };
type RefusedFile = { readonly path: string; readonly why: string };
export type CollectedFiles = {
  readonly files: readonly CollectedFile[];
  readonly refused: readonly RefusedFile[];
};

/** Characters that are refused in a name, because printing or writing them could do harm. */
const HARMFUL = /[\p{Cc}\p{Cf}\u2028\u2029\\]/u;
const NAME_BYTES_MAX = 255;

/** `into` must be empty. If `signal` aborts, the remaining files are refused. */
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
    if (entries === undefined) return this.#refuse(folder, 'it cannot be read');
    for (const entry of entries) {
      this.#entries += 1;
      if (this.#entries > this.#bounds.entriesMax) {
        if (this.#entries === this.#bounds.entriesMax + 1)
          this.#refuse(folder, `more than ${this.#bounds.entriesMax} entries are not read`);
        return;
      }
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const why = this.#signal.aborted ? 'the time limit was reached' : objection(entry);
      if (why !== undefined) this.#refuse(path, why);
      else if (entry.kind !== 'folder') await this.#file(path);
      else if (depth >= this.#bounds.depthMax) this.#refuse(path, 'it is nested too deep');
      else await this.folder(path, depth + 1);
    }
  }

  async #file(path: string): Promise<void> {
    const { filesMax, fileBytesMax, bytesMax } = this.#bounds;
    if (this.files.length >= filesMax)
      return this.#refuse(path, `the limit of ${filesMax} files is reached`);
    const room = Math.min(fileBytesMax, bytesMax - this.#bytes);
    const collected = await takeFile(this.#from, path, join(this.#into, path), room);
    if (typeof collected === 'string') return this.#refuse(path, collected);
    this.#bytes += collected;
    this.files.push({ path, bytes: collected });
  }

  #refuse(path: string, why: string): void {
    if (this.refused.length < this.#bounds.filesMax)
      this.refused.push({ path: printable(path), why });
  }
}

function objection({ name, kind, hasTextName }: TreeEntry): string | undefined {
  if (!hasTextName) return 'its name is not text';
  if (HARMFUL.test(name)) return 'its name has characters that a name should not have';
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) return 'its name is too long';
  if (kind === 'symlink') return 'it is a link';
  return kind === 'special' ? 'it is not a plain file' : undefined;
}

/** Makes a refused name safe to print. */
function printable(path: string): string {
  return path.replace(new RegExp(HARMFUL, 'gu'), '\uFFFD').slice(0, 1000);
}

/** The number of bytes, or why the file was refused. */
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
      // A device is not even opened, because opening alone can have an effect.
      if (!lstatSync(entry).isFile()) return 'it is not a plain file';
      fd = openSync(entry, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const { size, nlink } = fstatSync(fd);
      if (!fstatSync(fd).isFile()) return 'it is not a plain file';
      if (nlink !== 1) return 'it has a hard link elsewhere';
      if (size > bytesMax) return `its ${size} bytes exceed the remaining limit`;
      return await copyAtMost(fd, to, bytesMax);
    } catch (error) {
      if (['EACCES', 'EPERM', 'ELOOP', 'ENXIO', 'ENOENT'].includes(errnoCode(error)))
        return 'it cannot be read';
      throw error; // a failing disk is not a property of the file
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  });
  return taken ?? 'its folder no longer exists';
}

const readSome = promisify(read);
const PIECE_BYTES = 1_000_000;

/** A file may grow while it is read, or be smaller than its size. */
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
