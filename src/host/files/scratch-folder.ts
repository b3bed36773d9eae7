import type { FileHandle } from 'node:fs/promises';
import { chmod, chown, lstat, mkdir, mkdtemp, open, readdir, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isOrphan, processScopedName } from './process-scoped-name.ts';
import type { UserIds } from './path-access.ts';
import { removeTree } from './tree/write-tree.ts';

/** A temporary folder that is removed with its content when it is disposed. */
export class ScratchFolder implements AsyncDisposable {
  readonly path: string;
  readonly #open: FileHandle[] = [];

  private constructor(path: string) {
    this.path = path;
  }

  /** Other users may traverse it to paths that they know, but may list it only if `mode` allows it. */
  static async make(prefix: string, mode = 0o711): Promise<ScratchFolder> {
    const path = await mkdtemp(join(tmpdir(), prefix));
    await chmod(path, mode);
    return new ScratchFolder(path);
  }

  /** Only our user can read it unless `mode` allows more. */
  async write(name: string, data: string | Uint8Array, mode = 0o600): Promise<string> {
    const path = join(this.path, name);
    await writeFile(path, data, { mode });
    return path;
  }

  async folder(name: string, owner?: UserIds): Promise<string> {
    const path = join(this.path, name);
    await mkdir(path);
    if (owner !== undefined && process.geteuid?.() === 0) await chown(path, owner.uid, owner.gid);
    return path;
  }

  /** An empty file or folder to mount another one on, of the same kind. */
  async mountPoint(name: string, like: string): Promise<string> {
    const path = join(this.path, name);
    if ((await lstat(like)).isDirectory()) await mkdir(path);
    else await writeFile(path, '');
    return path;
  }

  /** A named pipe that we hold open. Its reader notices when we die, however we die. */
  async lifeline(name: string, mkfifo: string): Promise<string> {
    const path = join(this.path, name);
    const { status, stderr } = spawnSync(mkfifo, ['-m', '644', path], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the named pipe could not be created: ${stderr}`);
    this.#open.push(await open(path, constants.O_RDWR | constants.O_NONBLOCK));
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#open) await file.close();
    await removeTree(this.path);
  }
}

const SCRATCH_DIR = 'scratch-';

/** A new folder inside another. It is removed with its content at the end of the scope. */
export async function scratchDir(
  parent: string,
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(parent, processScopedName(SCRATCH_DIR, '')));
  return { path, [Symbol.asyncDispose]: () => removeTree(path) };
}

/** Whether it is such a folder whose process no longer exists. */
export function isOrphanDir(path: string): boolean {
  return isOrphan(basename(path), SCRATCH_DIR);
}

/** Removes the scratch folders with this prefix that our user created and whose processes no longer exist. */
export async function sweepScratch(
  prefix: string,
  folder = tmpdir(),
  uid = process.geteuid?.(),
): Promise<number> {
  let removed = 0;
  for (const name of (await readdir(folder)).filter((one) => isOrphan(one, prefix))) {
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined); // it no longer exists
    // A name proves nothing. The folder of another user is not ours to remove, not even for root.
    if (found === undefined || !found.isDirectory() || found.uid !== uid) continue;
    await removeTree(path);
    removed += 1;
  }
  return removed;
}
