import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the files that are shipped beside the code: roles, strategies, templates, prices. */
export const packageData: string = fileURLToPath(new URL('../../../config/', import.meta.url));

/** The text of one of these files. */
export function readPackageFile(name: string): string {
  return readFileSync(join(packageData, name), 'utf8');
}
