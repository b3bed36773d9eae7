/**
 * SIGKILL ends a process on SQLite inside its k-th write, k = 1 … N until the process completes,
 * and another owner continues with the file.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts';
import { tempDir } from '../support/temp-dir.ts';
import { endState } from './crash-scenarios.ts';
import { effectFile, journalFile, playToEnd, readEffects } from './scenario-on-disk.ts';

const CHILD = fileURLToPath(new URL('mortal-child.ts', import.meta.url));
const PATIENCE_MS = 30_000;

type When = 'before' | 'after';

/** Whether the process was killed; otherwise it completed. */
async function dies(folder: string, k: number, when: When): Promise<boolean> {
  const args = ['--disable-warning=ExperimentalWarning', CHILD, folder, String(k), when];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: PATIENCE_MS,
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal === 'SIGKILL') return true;
  assert.deepEqual([code, signal], [0, null]);
  return false;
}

/** The result of the scenario when its first owner dies at write k, and whether that owner died. */
async function play(
  k: number,
  when: When,
): Promise<{ readonly died: boolean; readonly state: readonly string[] }> {
  await using folder = await tempDir();
  const path = journalFile(folder.path);
  const died = k > 0 && (await dies(folder.path, k, when));
  if (died || k === 0)
    await playToEnd(SqliteJournal.open(path), systemClock, effectFile(folder.path));
  const journal = SqliteJournal.open(path);
  try {
    return { died, state: await endState(journal, readEffects(folder.path)) };
  } finally {
    await journal.close();
  }
}

/** Kills at every k until the scenario completes, and returns the number of kills. */
async function killEverywhere(when: When, expected: readonly string[]): Promise<number> {
  for (let k = 1; ; k += 2) {
    // Two at a time, for a small machine.
    const two = await Promise.all([play(k, when), play(k + 1, when)]);
    for (const { state } of two)
      assert.deepEqual(state, expected, `killed ${when} write ${k} or the next`);
    const deaths = two.filter(({ died }) => died).length;
    if (deaths < 2) return k - 1 + deaths;
  }
}

test('killed inside any write, a resumed scenario ends as if the kill had not happened', async (t) => {
  const { state } = await play(0, 'before');
  assert.deepEqual(state, ['done: succeeded, having done a', 'stopped: cancelled, having done b']);
  const before = await killEverywhere('before', state);
  const after = await killEverywhere('after', state);
  t.diagnostic(`N = ${before} statements that write, ${after} of them the last of a transaction`);
  t.diagnostic(
    `${before + after} deaths by SIGKILL, each end state equal to the uninterrupted one`,
  );
  assert.ok(before > after && after > 10);
});
