import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program of the machine, if it is installed. */
export function whichSync(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
