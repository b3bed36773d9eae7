/** Reads an untrusted tree of files: no symlink is followed, and no pipe blocks. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readdirSync,
  readlinkSync,
  readSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { yieldToEventLoop } from '../../machine/yield-to-event-loop.ts';
import { errnoCode } from '../errno.ts';
import { openBeneath } from './open-beneath.ts';

export type TreeEntry = {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symlink' | 'special';
  /** False if the name is not UTF-8. Then `name` is only similar, and finds no file. */
  readonly hasTextName: boolean;
};

/** The entries of a folder, sorted by name. Undefined if it does not exist or may not be read. */
export function listTreeFolder(
  root: string,
  folder: string,
): Promise<readonly TreeEntry[] | undefined> {
  return openBeneath(root, folder, async (at) => {
    await yieldToEventLoop();
    const found = readdirSync(at('.'), { withFileTypes: true, encoding: 'buffer' });
    return found
      .map((entry): TreeEntry => {
        const name = entry.name.toString('utf8');
        const kind = entry.isFile()
          ? 'file'
          : entry.isDirectory()
            ? 'folder'
            : entry.isSymbolicLink()
              ? 'symlink'
              : 'special';
        return { name, kind, hasTextName: Buffer.from(name).equals(entry.name) };
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  })
    .catch(closedIfDenied)
    .then((entries) => (entries === 'closed' ? undefined : entries));
}

/** The state of a path. The content of a symlink is its target. */
export type PathState =
  | { readonly kind: 'absent' | 'folder' | 'special' | 'unreadable' }
  | { readonly kind: 'too-large'; readonly bytes: number }
  | {
      readonly kind: 'file' | 'symlink';
      readonly content: Buffer;
      readonly isExecutable: boolean;
    };

/** A smaller file is read synchronously, because passing it to another thread would take longer. */
const SMALL_BYTES = 100_000;

/** Passes the state of many paths of one tree to `take`, each as soon as it is read, one folder after another. */
export async function readPaths(
  root: string,
  paths: readonly string[],
  fileBytesMax: number,
  take: (path: string, state: PathState) => Promise<void>,
): Promise<void> {
  const byFolder = Map.groupBy(paths, (path) => path.slice(0, Math.max(path.lastIndexOf('/'), 0)));
  for (const [folder, inside] of byFolder) {
    const nameOf = (path: string): string => (folder === '' ? path : path.slice(folder.length + 1));
    let isOpen = false;
    const wasThere = await openBeneath(root, folder, async (at) => {
      isOpen = true;
      for (const path of inside) {
        await take(path, await readEntry(at(nameOf(path)), fileBytesMax));
        await yieldToEventLoop();
      }
      return true;
    }).catch((error: unknown) => {
      if (isOpen) throw error; // the error comes from `take`
      return closedIfDenied(error);
    });
    const kind = wasThere === 'closed' ? 'unreadable' : 'absent';
    if (wasThere !== true) for (const path of inside) await take(path, { kind });
  }
}

export async function readPath(
  root: string,
  path: string,
  fileBytesMax: number,
): Promise<PathState> {
  let found: PathState = { kind: 'absent' };
  await readPaths(root, [path], fileBytesMax, async (_, state) => {
    found = state;
    await Promise.resolve();
  });
  return found;
}

/** The permission bits of a file. Undefined if there is no file, or it can't be reached. */
export async function readPermissions(root: string, path: string): Promise<number | undefined> {
  const at = path.lastIndexOf('/');
  const found = await openBeneath(root, path.slice(0, Math.max(at, 0)), async (entry) => {
    await yieldToEventLoop();
    const seen = lstatSync(entry(path.slice(at + 1)), { throwIfNoEntry: false });
    return seen?.isFile() === true ? seen.mode & 0o777 : undefined;
  }).catch(closedIfDenied);
  return found === 'closed' ? undefined : found;
}

async function readEntry(entry: string, bytesMax: number): Promise<PathState> {
  let fd: number | undefined;
  try {
    const seen = lstatSync(entry);
    if (seen.isSymbolicLink()) {
      const content = readlinkSync(entry, { encoding: 'buffer' });
      return { kind: 'symlink', content, isExecutable: false };
    }
    if (seen.isDirectory()) return { kind: 'folder' };
    if (!seen.isFile()) return { kind: 'special' };
    fd = openSync(entry, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const opened = fstatSync(fd); // it may have been swapped meanwhile
    if (!opened.isFile()) return { kind: 'special' };
    if (opened.size > bytesMax) return { kind: 'too-large', bytes: opened.size };
    const content = await readAtMost(fd, opened.size, bytesMax);
    if (content === undefined) return { kind: 'too-large', bytes: bytesMax + 1 };
    return { kind: 'file', content, isExecutable: (opened.mode & 0o100) !== 0 };
  } catch (error) {
    const code = errnoCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    // ELOOP and EINVAL: it became a symlink, or stopped being one, during the read
    if (['EACCES', 'EPERM', 'ELOOP', 'EINVAL', 'ENXIO'].includes(code))
      return { kind: 'unreadable' };
    throw error; // a failing disk is not a state of the file
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function closedIfDenied(error: unknown): 'closed' {
  if (errnoCode(error) === 'EACCES') return 'closed';
  throw error; // a failing disk is not a missing permission
}

const readLater = promisify(read);

/** A file may grow while it is read. Undefined if it exceeds the bound. */
async function readAtMost(fd: number, size: number, bytesMax: number): Promise<Buffer | undefined> {
  let buffer = Buffer.alloc(Math.min(size, bytesMax) + 1);
  for (let length = 0; ;) {
    const room = buffer.length - length;
    const bytesRead =
      buffer.length < SMALL_BYTES
        ? readSync(fd, buffer, length, room, length)
        : (await readLater(fd, buffer, length, room, length)).bytesRead;
    length += bytesRead;
    if (bytesRead === 0) return buffer.subarray(0, length);
    if (length > bytesMax) return undefined;
    if (length === buffer.length)
      buffer = Buffer.concat([buffer], Math.min(length * 2, bytesMax + 1));
  }
}
