/**
 * strace kills the journal's process as it enters its k-th write to a file, from the first byte of
 * a new database to the last of the closing checkpoint.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/journal-files.ts';
import { runUntilDeath } from './run-until-death.ts';
import { playSeries } from './series.ts';
import { assertBeginning, inspect, uninterrupted } from './soundness.ts';

/** 1 tries every write; a greater one takes samples. */
const STRIDE = Number(process.env['CRASH_STRIDE'] ?? 7);

const hasStrace = spawnSync('strace', ['-V']).status === 0;
const skip = hasStrace || process.env['CI'] !== undefined ? false : 'strace is not installed';

test(
  'killed at its k-th write, it loses nothing acknowledged and can be resumed',
  { skip },
  async (t) => {
    const whole = await uninterrupted();
    let [k, kills] = [1, 0];
    for (; ; k += STRIDE) {
      using folder = temporaryFolder();
      const path = join(folder.path, 'journal.db');
      const inject = `inject=pwrite64:signal=SIGKILL:when=${k}`;
      const under = ['strace', '-f', '-qq', '-o', join(folder.path, 'trace'), '-e', inject];
      const { signal, acknowledged } = await runUntilDeath('dies-at-statement.ts', [path, '0'], {
        under,
      });
      const found = await inspect(path, (journal) => playSeries(journal, () => undefined));
      assertBeginning(found, whole, acknowledged.at(-1) ?? 0);
      assert.deepEqual(await inspect(path), whole);
      if (signal === null) break;
      kills += 1;
    }
    t.diagnostic(
      `${kills} kills, at every ${STRIDE}. write; it ends by itself before the ${k}. one`,
    );
    assert.ok(k > 50, `it ends before the ${k}. write: the child does not write as it should`);
  },
);
