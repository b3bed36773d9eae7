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

export type TreeFile =
  | { readonly kind: 'text'; readonly text: string }
  /** It goes on beyond what was asked for. */
  | { readonly kind: 'huge' }
  | { readonly kind: 'absent' }
  /** A link on the way leads out of the tree. */
  | { readonly kind: 'outside' }
  | { readonly kind: 'unreadable' };

/** Reads files of one tree. A link can't make it read anything else, however it came there. */
export class TreeReader {
  readonly #root: Promise<string>;
  readonly #now: () => number;
  readonly #folders = new Map<string, boolean>();

  /** `now` is the time of the file system's clock. */
  constructor(root: string, now: () => number = Date.now) {
    this.#now = now;
    this.#root = realpath(root);
    this.#root.catch(() => {}); // each read says so itself
  }

  /** `path` is relative, with forward slashes. Never rejects. */
  async read(path: string, bytesMax: number): Promise<TreeFile> {
    try {
      const root = await this.#root;
      if (!this.#isInside(root, dirname(path))) return { kind: 'outside' };
      return readNow(join(root, path), bytesMax);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ELOOP' || code === 'EMLINK') return { kind: 'outside' };
      return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'absent' } : { kind: 'unreadable' };
    }
  }

  /**
   * The same for as long as the file is; undefined where that can't be said: no plain file, or one
   * that was written so lately that its times may not tell the next change.
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
      return undefined; // whoever reads it will hear why
    }
  }

  /** At once, as below: a plain folder in a folder that is inside is inside, and most are that. */
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

/** Two changes within this time may leave the same times behind. */
const SETTLED_MS = 2000;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** At once: to hand a small file to another thread takes four times as long as to read it. */
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
