/** Somebody who is not root, for tests that root runs: without a group but one, and shown our checkout wherever it lies. */
import { chmodSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { groupArgs } from '../../src/sandbox/group-args.ts';

/** Nobody's number on every system, and with no name on many. */
export const ORDINARY_UID = 65_534;

export const isRoot = process.geteuid?.() === 0;

const checkout = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Where they see it: a folder of root's that all may enter. */
const shown = mkdtempSync(join(tmpdir(), 'supervisor-shown-'));
chmodSync(shown, 0o755);
process.once('exit', () => rmdirSync(shown));

/** A path of the checkout as they see it: a checkout may lie in a folder that is closed to others. */
function asShown(word: string): string {
  return word.replaceAll(checkout, shown);
}

/** The command as they start it. Whoever is not root can only be themselves. */
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
