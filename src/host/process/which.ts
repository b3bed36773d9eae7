import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';

/**
 * The path of the program that would be started by this name, or undefined. As in the system, a name with a slash is
 * a path and is not searched. Unlike in the system, only absolute paths in PATH count.
 */
export function which(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  isExecutable: (path: string) => boolean = isExecutableFile,
): string | undefined {
  if (name === '') return undefined;
  if (name.includes(sep)) return isExecutable(resolve(name)) ? resolve(name) : undefined;
  return absoluteFolders(env['PATH'])
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** PATH without relative entries, so that no program is started from the current folder. */
export function fixedPath(path: string | undefined): string {
  return absoluteFolders(path).join(delimiter);
}

/** An empty entry means the current folder, and `node_modules/.bin` a folder inside it. */
function absoluteFolders(path = ''): readonly string[] {
  return path.split(delimiter).filter(isAbsolute);
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // missing or not executable: either way it cannot be started
  }
}
