import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program of the machine is, if anywhere. */
export function whichSync(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
