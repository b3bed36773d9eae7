/** The version of this package and the command that starts an owner, from sources and in the published build. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const packageFile = new URL('../../package.json', import.meta.url);

export const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

/**
 * An owner is idle most of the time and has few short-lived objects. A small young generation (V8's default
 * grows to 48 MB) saves a quarter of its memory. Its live objects are small too, so its heap does not have to
 * grow far before a collection.
 */
export const OWNER_FLAGS = ['--max-semi-space-size=2', '--heap-growing-percent=20'];

/** The command that starts an owner of the home in `SUPERVISOR_HOME`. */
export const ownerCommand: readonly [string, ...string[]] = [
  process.execPath,
  ...OWNER_FLAGS,
  fileURLToPath(new URL('../../bin/supervisor.js', import.meta.url)),
  'owner',
  'serve',
];
