/** What this package knows of itself, from sources and from the published build alike. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const packageFile = new URL('../../package.json', import.meta.url);

export const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

/** The command that becomes an owner of the home that its environment names. */
export const ownerCommand: readonly [string, ...string[]] = [
  process.execPath,
  fileURLToPath(new URL('../../bin/supervisor.js', import.meta.url)),
  'owner',
  'serve',
];
