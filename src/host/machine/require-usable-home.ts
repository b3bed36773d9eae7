/**
 * Refuses a home that is not a folder of its own. The owner closes its home to other users (mode 700). On `/`, a
 * user's home or a shared folder, that would lock out other users and programs.
 */
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { isMachineFolder, isWithin } from '../../base/secret-paths.ts';
import { errnoCode } from '../files/errno.ts';
import { accountHome } from './account-home.ts';

const OTHERS = 0o077;
const STICKY = 0o1000;

/** What an owner or a user puts into a home. One of these names is enough to recognize it. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  'community',
  'config.yaml',
  'database.json',
  'journal.db',
  'outputs',
  'owner.lock',
  'owner.log',
  'packs.json',
  'prices.json',
  'projects',
  'roles',
  'strategies',
  'templates',
  'trust',
]);

/** What a new volume or a file manager puts into a folder. A folder with nothing else is still empty. */
const NAMES_OF_SYSTEMS: ReadonlySet<string> = new Set(['lost+found', '.snapshot', '.DS_Store']);

const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission to use it',
  EEXIST: 'it is not a folder',
  EISDIR: 'a folder is in the place of one of its files',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'its path is too long',
  ENOENT: 'no folder can be created there',
  ENOTDIR: 'a part of its path is not a folder',
  EPERM: 'the system does not allow it',
  EROFS: 'the file system is read-only',
};
const PATH_CHARS_MAX = 200;

export function requireUsableHome(dir: string): void {
  const why = findObjection(dir);
  if (why !== undefined) throw unusableHome(dir, why);
}

/** The refusal for an error of the machine in the home. Undefined if the error has another reason. */
export function homeError(dir: string, error: unknown): Refusal | undefined {
  const code = errnoCode(error);
  const cause = Object.hasOwn(CAUSES, code) ? CAUSES[code] : undefined;
  if (cause === undefined) return undefined;
  const file = code === 'EISDIR' ? fileIn(dir, error) : undefined;
  if (file === undefined) return unusableHome(dir, `${cause} (${code})`, error);
  return unusableHome(
    dir,
    `${basename(file)} in it is a folder, not a file (${code})`,
    error,
    file,
  );
}

/** The file of the home that an error names. A rename names its target as `dest`. */
function fileIn(dir: string, error: unknown): string | undefined {
  const { path, dest = path } = error as NodeJS.ErrnoException & { readonly dest?: string };
  return dest !== undefined && dirname(dest) === dir ? dest : undefined;
}

function findObjection(dir: string): string | undefined {
  if (isMachineFolder(dir)) return 'it belongs to the machine';
  for (const home of [envHome(), accountHome()])
    if (home !== undefined && isWithin(home, dir))
      return home === dir ? 'it is your whole home folder' : `it contains your home folder ${home}`;
  const found = statSync(dir, { throwIfNoEntry: false });
  if (found === undefined)
    return lstatSync(dir, { throwIfNoEntry: false }) === undefined
      ? undefined // it will be created
      : 'it is a symbolic link to a folder that does not exist';
  if (!found.isDirectory()) return 'it is a file, not a folder';
  if ((found.mode & STICKY) !== 0) return 'all users of this machine share it';
  if ((found.mode & OTHERS) === 0) return undefined;
  const names = readdirSync(dir).filter((name) => !NAMES_OF_SYSTEMS.has(name));
  return names.length === 0 || names.some((name) => OWN_NAMES.has(name))
    ? undefined
    : 'it contains other files, and other users may read them';
}

function envHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined; // no HOME and no account: there is no folder to protect
  }
}

function unusableHome(dir: string, why: string, cause?: unknown, inTheWay?: string): Refusal {
  const shown = dir.length <= PATH_CHARS_MAX ? dir : `${dir.slice(0, PATH_CHARS_MAX)}…`;
  return new Refusal(
    {
      code: 'home.unusable',
      message: `The home ${shown} can't be used: ${why}.`,
      hint:
        inTheWay === undefined
          ? 'Set SUPERVISOR_HOME to a new or empty folder that you can write to.'
          : `Move ${inTheWay} away, or set SUPERVISOR_HOME to a new or empty folder.`,
    },
    { cause },
  );
}
