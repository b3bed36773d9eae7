/** The file of `journal export` and `journal import`. The owner's modules are loaded late. */
import { createReadStream } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isRefusal, Refusal } from '../base/errors.ts';
import { errnoCode, withPath } from '../host/files/errno.ts';
import type { Moved, MoveOptions, MoveTarget } from '../owner/move-journal.ts';

/** The journal has the output and the prompts of runs. */
const PRIVATE_FILE = 0o600;

/** The file appears when it is complete and on the disk. Refuses one that exists. */
export async function exportToFile(options: MoveOptions, path: string): Promise<Moved> {
  if (await isThere(path))
    throw new Refusal({
      code: 'usage.invalid',
      message: `${path} exists already.`,
      hint: 'Name a new file, or delete that one first.',
    });
  const { exportJournal } = await import('../owner/move-journal.ts');
  const temporary = `${path}.part`;
  try {
    // What an export left that was killed goes, and a link is not followed: nothing else may get the prompts of runs.
    await rm(temporary, { force: true });
    await using file = await open(temporary, 'wx', PRIVATE_FILE);
    const moved = await exportJournal(options, async (lines) => {
      await file.writeFile(lines); // from the current position on
    });
    await file.sync();
    await rename(temporary, path);
    await using folder = await open(dirname(path), 'r');
    await folder.sync(); // the new name is durable only with its folder
    return moved;
  } catch (error) {
    await rm(temporary, { force: true });
    throw isRefusal(error) ? error : withPath(error, path);
  }
}

export async function importFromFile(
  options: MoveOptions,
  target: MoveTarget,
  path: string,
): Promise<Moved> {
  if (!(await isThere(path)))
    throw new Refusal({
      code: 'usage.invalid',
      message: `There is no file ${path}.`,
      hint: 'Write one with: supervisor journal export FILE',
    });
  const { importJournal } = await import('../owner/move-journal.ts');
  const { importPages } = await import('../store/transfer/journal-pages.ts');
  return importJournal(options, target, () =>
    importPages(createReadStream(path, { encoding: 'utf8' })),
  );
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return false;
    throw withPath(error, path);
  }
}
