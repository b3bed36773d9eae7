/**
 * A user other than root, for tests that root runs: with one group only, and with access to our
 * checkout wherever it is.
 */
import { chmodSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { groupArgs } from '../../src/sandbox/group-args.ts';

/** The id of the user "nobody" on every system, and without a name on many. */
export const ORDINARY_UID = 65_534;

export const isRoot = process.geteuid?.() === 0;

const checkout = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Where that user sees it: a folder of root that all may enter. */
const shown = mkdtempSync(join(tmpdir(), 'supervisor-shown-'));
chmodSync(shown, 0o755);
process.once('exit', () => rmdirSync(shown));

/**
 * A path of the checkout as that user sees it: a checkout may be in a folder that is closed to
 * others.
 */
function asShown(word: string): string {
  return word.replaceAll(checkout, shown);
}

/** The command as that user starts it. A test that does not run as root keeps its own user. */
export function asOrdinaryUser(
  argv: readonly [string, ...string[]],
  gid: number = ORDINARY_UID,
): readonly [string, ...string[]] {
  if (!isRoot) return argv;
  const script = 'mount --rbind "$1" "$2" && shift 2 && exec "$@"';
  return [
    'unshare',
    ...groupArgs('--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', checkout, shown),
    ...groupArgs('setpriv', '--reuid', ORDINARY_UID, '--regid', gid, '--clear-groups'),
    ...argv.map(asShown),
  ];
}
