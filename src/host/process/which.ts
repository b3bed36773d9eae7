import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';

/**
 * Where a program is that would be started by this name, or undefined. As the system does it, a name
 * with a slash is a path and is not looked for; unlike it, only whole paths in PATH count.
 */
export function which(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  isExecutable: (path: string) => boolean = isExecutableFile,
): string | undefined {
  if (name === '') return undefined;
  if (name.includes(sep)) return isExecutable(resolve(name)) ? resolve(name) : undefined;
  return foldersOf(env['PATH'])
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** PATH without what leads into the current folder: no program comes from wherever we happen to be. */
export function fixedPath(path: string | undefined): string {
  return foldersOf(path).join(delimiter);
}

/** An empty entry means the current folder, and `node_modules/.bin` one inside it. */
function foldersOf(path = ''): readonly string[] {
  return path.split(delimiter).filter(isAbsolute);
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // not there, or not ours to run: either way nobody can start it
  }
}
