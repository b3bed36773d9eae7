import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

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
  readonly #folders = new Map<string, Promise<boolean>>();

  constructor(root: string) {
    this.#root = realpath(root);
    this.#root.catch(() => {}); // each read says so itself
  }

  /** `path` is relative, with forward slashes. Never rejects. */
  async read(path: string, bytesMax: number): Promise<TreeFile> {
    try {
      const root = await this.#root;
      if (!(await this.#isInside(root, dirname(path)))) return { kind: 'outside' };
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      await using file = await open(join(root, path), flags);
      const { size, mode } = await file.stat();
      if ((mode & constants.S_IFMT) !== constants.S_IFREG) return { kind: 'unreadable' };
      if (size > bytesMax) return { kind: 'huge' };
      const buffer = Buffer.allocUnsafe(size);
      const { bytesRead } = await file.read(buffer, 0, size, 0);
      return { kind: 'text', text: buffer.toString('utf8', 0, bytesRead) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ELOOP' || code === 'EMLINK') return { kind: 'outside' };
      return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'absent' } : { kind: 'unreadable' };
    }
  }

  #isInside(root: string, folder: string): Promise<boolean> {
    let known = this.#folders.get(folder);
    if (known === undefined) {
      known = realpath(join(root, folder)).then(
        (real) => real === root || real.startsWith(root + sep),
      );
      this.#folders.set(folder, known);
    }
    return known;
  }
}
