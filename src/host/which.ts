import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve, sep } from 'node:path';

/**
 * Where a program is that would be started by this name, or undefined. As the system does it, a name
 * with a slash is a path and is not looked for; unlike it, an empty entry of PATH is not the
 * current folder, since a program must not come from whatever folder we happen to be in.
 */
export function which(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  isExecutable: (path: string) => boolean = isExecutableFile,
): string | undefined {
  if (name === '') return undefined;
  if (name.includes(sep)) return isExecutable(resolve(name)) ? resolve(name) : undefined;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // not there, or not ours to run: either way nobody can start it
  }
}
