import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { errnoCode } from '../errno.ts';

export type TreeFile =
  | { readonly kind: 'text'; readonly text: string }
  /** The file is larger than requested. */
  | { readonly kind: 'huge' }
  | { readonly kind: 'absent' }
  /** A link in the path points out of the tree. */
  | { readonly kind: 'outside' }
  | { readonly kind: 'unreadable' };

/** Reads files of one tree. No link can make it read anything outside. */
export class TreeReader {
  readonly #root: Promise<string>;
  readonly #now: () => number;
  readonly #folders = new Map<string, boolean>();

  /** `now` is the time of the file system's clock. */
  constructor(root: string, now: () => number = Date.now) {
    this.#now = now;
    this.#root = realpath(root);
    this.#root.catch(() => {}); // each read reports the error itself
  }

  /** `path` is relative, with forward slashes. Never rejects. */
  async read(path: string, bytesMax: number): Promise<TreeFile> {
    try {
      const root = await this.#root;
      if (!this.#isInside(root, dirname(path))) return { kind: 'outside' };
      return readNow(join(root, path), bytesMax);
    } catch (error) {
      const code = errnoCode(error);
      if (code === 'ELOOP' || code === 'EMLINK') return { kind: 'outside' };
      return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'absent' } : { kind: 'unreadable' };
    }
  }

  /**
   * A value that changes whenever the file changes. Undefined if that cannot be guaranteed: it is not a plain file,
   * or it was written so recently that the next change may leave the same times.
   */
  async fingerprint(path: string): Promise<string | undefined> {
    try {
      const root = await this.#root;
      if (!this.#isInside(root, dirname(path))) return undefined;
      const found = lstatSync(join(root, path));
      const { dev, ino, size, mtimeMs, ctimeMs } = found;
      const isSettled = this.#now() - Math.max(mtimeMs, ctimeMs) > SETTLED_MS;
      return found.isFile() && isSettled
        ? `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
        : undefined;
    } catch {
      return undefined; // a later read reports the reason
    }
  }

  /** Synchronous, as below. A plain folder inside an inner folder is inside too, and most folders are that. */
  #isInside(root: string, folder: string): boolean {
    if (folder === '.' || folder === '/') return true;
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const path = join(root, folder);
    const isPlain =
      basename(folder) !== '..' &&
      this.#isInside(root, dirname(folder)) &&
      lstatSync(path).isDirectory();
    const isInside = isPlain || (realpathSync.native(path) + sep).startsWith(root + sep);
    this.#folders.set(folder, isInside);
    return isInside;
  }
}

/** Two changes within this time may leave the same file times. */
const SETTLED_MS = 2000;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Synchronous: passing a small file to another thread takes four times as long as reading it. */
function readNow(path: string, bytesMax: number): TreeFile {
  const file = openSync(path, FLAGS);
  try {
    const { size, mode } = fstatSync(file);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) return { kind: 'unreadable' };
    if (size > bytesMax) return { kind: 'huge' };
    const buffer = Buffer.allocUnsafe(size);
    const length = size === 0 ? 0 : readSync(file, buffer, 0, size, 0);
    return { kind: 'text', text: buffer.toString('utf8', 0, length) };
  } finally {
    closeSync(file);
  }
}
