/** What this package knows of itself, from sources and from the published build alike. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const packageFile = new URL('../../package.json', import.meta.url);

export const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

/**
 * An owner waits most of the time, for nights: a small nursery (V8's default grows to 48 MB) saves a
 * quarter of its memory, and its short-lived objects are few. What it keeps is small too, so its heap need
 * not grow far before it is cleaned.
 */
export const OWNER_FLAGS = ['--max-semi-space-size=2', '--heap-growing-percent=20'];

/** The command that becomes an owner of the home that its environment names. */
export const ownerCommand: readonly [string, ...string[]] = [
  process.execPath,
  ...OWNER_FLAGS,
  fileURLToPath(new URL('../../bin/supervisor.js', import.meta.url)),
  'owner',
  'serve',
];
