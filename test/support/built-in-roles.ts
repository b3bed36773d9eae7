import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const config = fileURLToPath(new URL('../../config/', import.meta.url));

/** How many roles the package has, counted by their files. */
export function builtInRoles(): number {
  const files = ['base_roles', 'packs'].flatMap((folder) =>
    readdirSync(`${config}${folder}`, { recursive: true, encoding: 'utf8' }),
  );
  return files.filter((file) => file.endsWith('.yaml')).length;
}
