/**
 * Appends batches of three as fast as it can until it is killed, and prints the last id of each
 * batch once it is durable. Usage: writes-flat-out.ts PATH
 */
import { writeSync } from 'node:fs';
import { at } from '../../../src/base/clock.ts';
import type { NewEvent } from '../../../src/protocol/event.ts';
import { runStream } from '../../../src/protocol/streams.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { SqliteJournal } from '../../../src/store/sqlite/sqlite-journal.ts';
import { begun, ended, noted, submitted } from '../../../src/testing/conformance/journal-events.ts';

const [path = ''] = process.argv.slice(2);
const database = openDatabase(path);
database.exec('PRAGMA wal_autocheckpoint = 20'); // so that many kills happen during a checkpoint
const journal = new SqliteJournal(database, path);

async function write(stream: string): Promise<void> {
  for (let seq = await journal.lastSeq(stream); ; seq += 3) {
    const stored = await journal.append(stream, seq, batch(seq), at(seq));
    writeSync(1, `${stored.at(-1)?.id}\n`);
  }
}

function batch(seq: number): NewEvent[] {
  const key = `n-${seq}`;
  const first = seq === 0 ? submitted() : noted(key, 'x'.repeat(seq % 3000));
  return [first, begun(key), ended(key)];
}

await Promise.all(['a000000000', 'b000000000'].map((id) => write(runStream(id))));
