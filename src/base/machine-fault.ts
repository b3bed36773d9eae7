/**
 * Machine errors that the user can fix: a full, read-only or failing disk, too many open files. They are not
 * bugs of Supervisor, so they become refusals that name the path, the cause and the remedy.
 */
import { Refusal } from './errors.ts';

const FAULTS: Readonly<Record<string, readonly [cause: string, remedy: string]>> = {
  ENOSPC: ['the disk is full, or has no inodes left', 'Free some disk space, and try again.'],
  EDQUOT: ['your quota on this disk is used up', 'Free some disk space, and try again.'],
  EFBIG: [
    'no file may become that large in this shell',
    'Raise the limit with: ulimit -f unlimited',
  ],
  EIO: [
    'the disk reports an error',
    'Check the disk (dmesg, smartctl), and move the files to another one.',
  ],
  EROFS: [
    'the file system is read-only',
    'Mount it for writing. To move the state folder, set SUPERVISOR_HOME.',
  ],
  EMFILE: [
    'this process has too many files open',
    'Raise the limit with ulimit -n and restart the owner, or run fewer agents at once.',
  ],
  ENFILE: ['this machine has too many files open', 'End some programs, or raise fs.file-max.'],
  ENOMEM: ['this machine has no memory left', 'End some programs, or run fewer agents at once.'],
};

const CAUSES_MAX = 10;

/** The refusal for such an error; undefined for other errors. */
export function machineFault(error: unknown): Refusal | undefined {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    const { code = '', path, dest } = cause as NodeJS.ErrnoException & { readonly dest?: string };
    const known = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
    if (known !== undefined) {
      const where = dest ?? path;
      return new Refusal(
        {
          code: 'machine.fault',
          message: `${where === undefined ? 'The operation failed' : `${where} can't be used`}: ${known[0]} (${code}).`,
          hint: known[1],
          details: { errno: code, ...(where === undefined ? {} : { path: where }) },
        },
        { cause: error },
      );
    }
    ({ cause } = cause);
  }
  return undefined;
}
