/**
 * Opens folders that an untrusted program tries to keep us out of. Every folder is reached through an open handle of
 * its parent, and names are bytes. So neither a long path, nor a name that is not text, nor a folder that its owner
 * has closed is an obstacle.
 */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  opendirSync,
  openSync,
} from 'node:fs';
import { errnoCode } from '../errno.ts';

/** Only Linux can name an entry relative to an open folder. */
const HAS_FD_PATHS = existsSync('/proc/self/fd');
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Linux: a handle that names a file or folder and needs no permission on it. */
const O_PATH = 0o10000000;
const SLASH = Buffer.from('/');
const CLOSED = new Set(['EACCES', 'EPERM']);

export type DeepFolder = Disposable & {
  /** A path for an entry, valid while the folder is open. */
  readonly at: (name: Buffer) => Buffer;
  /** The names in it, one after the other, because there may be millions. */
  readonly names: () => Iterable<Buffer>;
  /** When a name was last added or removed, or the mode changed. No program can set this time. */
  readonly changedAtMs: () => number;
};

/** The permissions that the owner of a folder needs for each purpose. */
const NEEDED = { reading: 0o500, emptying: 0o700 };

/**
 * Opens a folder, never through a link. If we own it and lack a permission, we add it to the mode. A folder opened
 * for reading gets its old mode back when it is closed. The result is `gone` if there is no folder, or if another
 * user has closed theirs, and `closed` if we cannot open it.
 */
export function openDeepFolder(
  path: Buffer,
  purpose: 'reading' | 'emptying',
): DeepFolder | 'gone' | 'closed' {
  const opened = openHandle(path, NEEDED[purpose]);
  if (typeof opened === 'string') return opened;
  const { handle, modeBefore } = opened;
  const base = HAS_FD_PATHS ? Buffer.from(`/proc/self/fd/${handle}`) : path;
  return {
    at: (name: Buffer) => Buffer.concat([base, SLASH, name]),
    names: () => namesIn(base),
    changedAtMs: () => fstatSync(handle).ctimeMs,
    [Symbol.dispose]: () => {
      try {
        if (purpose === 'reading' && modeBefore !== undefined)
          restoreMode(handle, modeBefore, NEEDED[purpose]);
      } finally {
        closeSync(handle);
      }
    },
  };
}

/** Whether an error means missing permission, and not a broken disk. */
export function isUnreadable(error: unknown): boolean {
  return CLOSED.has(errnoCode(error));
}

type Opened = {
  readonly handle: number;
  /** Undefined if the mode was left unchanged. */
  readonly modeBefore: number | undefined;
};

function openHandle(path: Buffer, needed: number): Opened | 'gone' | 'closed' {
  let named: number | undefined;
  try {
    if (!HAS_FD_PATHS) return { handle: openSync(path, FOLDER), modeBefore: undefined };
    named = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const self = `/proc/self/fd/${named}`; // no link can redirect this path
    const mode = fstatSync(named).mode & 0o7777;
    const lacksAny = isOurs(named) && (mode & needed) !== needed;
    if (lacksAny) chmodSync(self, mode | needed);
    const handle = openSync(self, constants.O_RDONLY | constants.O_DIRECTORY);
    return { handle, modeBefore: lacksAny ? mode : undefined };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoCode(error))) return 'gone';
    if (['EMFILE', 'ENFILE'].includes(errnoCode(error))) return 'closed';
    if (isUnreadable(error)) return named === undefined || isOurs(named) ? 'closed' : 'gone';
    throw error; // a failing disk is not a state of the folder
  } finally {
    if (named !== undefined) closeSync(named);
  }
}

function restoreMode(handle: number, mode: number, added: number): void {
  try {
    // If another process has changed the mode meanwhile, that mode stays.
    if ((fstatSync(handle).mode & 0o7777) === (mode | added)) fchmodSync(handle, mode);
  } catch (error) {
    if (!isUnreadable(error)) throw error; // the folder was given to another user meanwhile
  }
}

function isOurs(handle: number): boolean {
  return fstatSync(handle).uid === process.geteuid?.();
}

function* namesIn(folder: Buffer): Generator<Buffer> {
  // The type definitions lack names as bytes.
  const entries = opendirSync(folder, {
    encoding: 'buffer' as BufferEncoding,
  });
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync())
      yield entry.name as unknown as Buffer;
  } finally {
    entries.closeSync();
  }
}
