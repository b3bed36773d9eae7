/**
 * The folders of a git object store. `git prune-packed` removes a folder that is empty. If another process is about to
 * write an object there, that process fails. So each folder has a file that keeps it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFoldersSync } from '../files/make-folders.ts';

/** Git takes a file with this prefix for an unfinished object, and neither reads nor reports it. */
const KEEPER = 'tmp_obj_keeps_folder';

const FOLDERS = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));

export function keepObjectFolders(objectsDir: string): void {
  for (const name of FOLDERS) {
    makeFoldersSync(join(objectsDir, name));
    writeFileSync(join(objectsDir, name, KEEPER), '');
  }
}

/** The file that `keepObjectFolders` writes last. */
export function lastFolderKeeper(objectsDir: string): string {
  return join(objectsDir, 'ff', KEEPER);
}

export function isFolderKeeper(name: string): boolean {
  return name === KEEPER;
}
