/**
 * R10: a machine that loses power forgets unsynced writes. A killed process does not show that, so
 * strace does: before each acknowledgement, every write to the journal's files must have been
 * synced.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/journal-files.ts';
import { runUntilDeath } from './run-until-death.ts';

const hasStrace = spawnSync('strace', ['-V']).status === 0;
const skip = hasStrace || process.env['CI'] !== undefined ? false : 'strace is not installed';

type Seen = {
  /** Acknowledgements, and how many came while a write was not synced. */
  readonly acknowledged: number;
  readonly tooEarly: number;
  readonly writes: number;
};

function read(trace: string): Seen {
  const unsynced = new Set<string>();
  let [acknowledged, tooEarly, writes] = [0, 0, 0];
  for (const line of trace.split('\n')) {
    const [, call, fd, path = ''] = /(\w+)\((\d+)<([^>]*)>/.exec(line) ?? [];
    const isJournal = path.endsWith('journal.db') || path.endsWith('journal.db-wal');
    if (call === 'pwrite64' && isJournal) {
      unsynced.add(path);
      writes += 1;
    } else if (call === 'fsync' || call === 'fdatasync') unsynced.delete(path);
    else if (call === 'write' && fd === '1' && /"\d+\\n"/.test(line)) {
      acknowledged += 1;
      if (unsynced.size > 0) tooEarly += 1;
    }
  }
  return { acknowledged, tooEarly, writes };
}

test('nothing is acknowledged before it is synced', { skip }, async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'trace');
  const traced = 'trace=pwrite64,write,fsync,fdatasync';
  const under = ['strace', '-f', '-y', '-qq', '-s', '64', '-o', file, '-e', traced];
  const { acknowledged } = await runUntilDeath(
    'dies-at-statement.ts',
    [join(folder.path, 'journal.db'), '0'],
    { under },
  );
  const seen = read(readFileSync(file, 'utf8'));
  assert.ok(seen.writes > acknowledged.length, 'the trace shows no writes');
  assert.deepEqual(
    [seen.acknowledged, seen.tooEarly],
    [acknowledged.length, 0],
    'something was acknowledged that a loss of power would have taken',
  );
});
