/**
 * A process that is killed inside a write leaves the first part of it. These files are made as such
 * a kill leaves them, for every place in every write, which no timing of a real kill could reach.
 */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts';
import { temporaryFolder } from '../support/journal-files.ts';
import { playSeries } from './series.ts';
import { assertBeginning, inspect, uninterrupted } from './soundness.ts';

/** A series without a checkpoint, and the length of the log at each acknowledgement. */
async function writeSeries(path: string): Promise<{ id: number; bytes: number }[]> {
  const database = openDatabase(path);
  database.exec('PRAGMA wal_autocheckpoint = 0');
  const acknowledged: { id: number; bytes: number }[] = [];
  copyFileSync(path, `${path}.before`);
  const journal = new SqliteJournal(database, path);
  await playSeries(journal, (id) => acknowledged.push({ id, bytes: statSync(`${path}-wal`).size }));
  copyFileSync(`${path}-wal`, `${path}.log`);
  await journal.close();
  return acknowledged;
}

describe('a write that is cut short', () => {
  test('in the log, at any byte that matters, loses nothing acknowledged and can be resumed', async (t) => {
    const whole = await uninterrupted();
    using folder = temporaryFolder();
    const original = join(folder.path, 'original.db');
    const acknowledged = await writeSeries(original);
    const log = readFileSync(`${original}.log`);
    const cuts = cutsOf(log.length);
    for (const cut of cuts) {
      const path = join(folder.path, `cut-${cut}.db`);
      copyFileSync(`${original}.before`, path);
      writeFileSync(`${path}-wal`, log.subarray(0, cut));
      const found = await inspect(path, (journal) => playSeries(journal, () => undefined));
      assertBeginning(found, whole, acknowledged.findLast(({ bytes }) => bytes <= cut)?.id ?? 0);
      assert.deepEqual(await inspect(path), whole);
    }
    t.diagnostic(`${cuts.length} cuts of a log of ${log.length} bytes`);
  });

  test('in the database, during a checkpoint, at every page, changes nothing', async (t) => {
    const whole = await uninterrupted();
    using folder = temporaryFolder();
    const original = join(folder.path, 'original.db');
    await writeSeries(original);
    const [before, after] = [readFileSync(`${original}.before`), readFileSync(original)];
    const cuts = Array.from({ length: (after.length / 4096) * 2 + 1 }, (_, index) => index * 2048);
    for (const cut of cuts) {
      const path = join(folder.path, `cut-${cut}.db`);
      writeFileSync(path, Buffer.concat([after.subarray(0, cut), before.subarray(cut)]));
      copyFileSync(`${original}.log`, `${path}-wal`);
      assert.deepEqual(await inspect(path), whole);
    }
    t.diagnostic(`${cuts.length} cuts of a database of ${after.length} bytes`);
  });
});

/** At each frame's edge, in its header, in its page, and one byte off. */
function cutsOf(bytes: number): number[] {
  const frame = 24 + 4096;
  const cuts = [0, 1, 16, 31];
  for (let start = 32; start < bytes; start += frame)
    cuts.push(start, start + 1, start + 24, start + 2000, start + frame - 1);
  return [...cuts, bytes].filter((cut) => cut <= bytes);
}
