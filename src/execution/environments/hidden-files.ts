/**
 * Finds files of this machine that a command names and that its sandbox does not show. Such a command would fail in
 * every attempt, and its message, "No such file", would be about a file that the user can see.
 */
import { join } from 'node:path';
import { lineOfShell } from '../../base/shell-words.ts';

export type HiddenFile = {
  /** As the command writes it. */
  readonly word: string;
  /** The file that the user means. */
  readonly path: string;
  readonly why:
    /** Only a shell replaces `~`, and the command starts none. */
    | 'tilde'
    /** The copy of the project has another path. */
    | 'in-project'
    | 'outside';
};

export type SandboxSight = {
  readonly project: string;
  readonly userDir: string;
  /** Files and folders that are visible at the same path. */
  readonly shown: readonly string[];
  readonly isFile: (path: string) => boolean;
};

/** Every sandbox has these folders: those of the machine, or those of the image. */
const OF_SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/dev', '/proc', '/sys'];

/** Undefined: every file that exists and that the command names by its whole path is visible. */
export function findHiddenFile(
  command: readonly string[],
  sight: SandboxSight,
): HiddenFile | undefined {
  const line = lineOfShell(command);
  const words = line === undefined ? command : line.split(/[\s'"`;&|()<>=]+/);
  for (const [index, word] of words.entries()) {
    const path = word.startsWith('~/') ? join(sight.userDir, word.slice(2)) : word;
    if (!path.startsWith('/') || !sight.isFile(path)) continue;
    // A program without a shell is shown wherever it is.
    const isProgram = index === 0 && line === undefined;
    if (word.startsWith('~/') && line === undefined) return { word, path, why: 'tilde' };
    if (isInside(path, sight.project)) return { word, path, why: 'in-project' };
    const isShown = [...OF_SYSTEM, ...sight.shown].some((folder) => isInside(path, folder));
    if (!isShown && !isProgram) return { word, path, why: 'outside' };
  }
  return undefined;
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
