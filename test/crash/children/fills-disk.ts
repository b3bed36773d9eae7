/**
 * Uses a journal on a disk that becomes full again and again: `fills-disk.ts FOLDER`. Prints as
 * JSON the refusals, the acknowledged facts, and the facts it finds after it reopens the journal.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../../src/base/clock.ts';
import { describeError, isRefusal } from '../../../src/base/errors.ts';
import { errnoCode } from '../../../src/host/files/errno.ts';
import { runStream } from '../../../src/protocol/streams.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { SqliteJournal } from '../../../src/store/sqlite/sqlite-journal.ts';
import { noted, submitted } from '../../../src/testing/conformance/journal-events.ts';

const [folder = ''] = process.argv.slice(2);
const path = join(folder, 'journal.db');
const ballast = join(folder, 'ballast');
const RUN = runStream('a000000000');

/** Uses all free space, to the last block. */
function fill(): void {
  for (let bytes = 65_536; bytes >= 512;)
    try {
      writeFileSync(ballast, Buffer.alloc(bytes, 1), { flag: 'a' });
    } catch (error) {
      if (errnoCode(error) !== 'ENOSPC') throw error;
      bytes /= 2;
    }
}

const refused: string[] = [];
const acknowledged: number[] = [];
const journal = SqliteJournal.open(path);

async function append(chars: number): Promise<void> {
  try {
    const seq = await journal.lastSeq(RUN);
    const event = seq === 0 ? submitted() : noted(`n-${seq}`, 'x'.repeat(chars));
    const [stored] = await journal.append(RUN, seq, [event], at(seq));
    acknowledged.push(stored?.seq ?? -1);
  } catch (error) {
    refused.push(isRefusal(error) ? error.data.code : describeError(error));
  }
}

await append(0);
for (let round = 0; round < 30; round += 1) {
  fill();
  for (const chars of [10, 4000, 40_000 + round]) await append(chars);
  rmSync(ballast);
  await append(100 * round);
}
await journal.close();
using database = openDatabase(path);
const sound = database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
const found = await new SqliteJournal(database, path).readStream(RUN, { after: 0, limit: 10_000 });
console.log(JSON.stringify({ refused, acknowledged, sound, found: found.map(({ seq }) => seq) }));
