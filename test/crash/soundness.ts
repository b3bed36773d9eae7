import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { StoredEvent } from '../../src/protocol/event.ts';
import type { RunView } from '../../src/protocol/views/run-view.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts';
import { temporaryFolder } from '../support/journal-files.ts';
import { WHOLE, playSeries } from './series.ts';

export type Found = {
  readonly events: readonly StoredEvent[];
  readonly runs: readonly RunView[];
};

/**
 * Opens the files that a crash left. The file must be sound, and the projections must equal those
 * of the events alone. `then` may continue with the journal before it is closed.
 */
export async function inspect(
  path: string,
  then: (journal: SqliteJournal) => Promise<void> = async () => undefined,
): Promise<Found> {
  using database = openDatabase(path);
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok');
  const journal = new SqliteJournal(database, path);
  const found = await read(journal);
  await journal.rebuild();
  assert.deepEqual(await read(journal), found);
  await then(journal);
  return found;
}

export async function read(journal: SqliteJournal): Promise<Found> {
  return {
    events: await journal.readAll({ after: 0, limit: 1_000_000 }),
    runs: await journal.runs({ limit: 1_000_000 }),
  };
}

/** The result without a crash. */
export async function uninterrupted(): Promise<Found> {
  using folder = temporaryFolder();
  const path = join(folder.path, 'journal.db');
  await inspect(path, (journal) => playSeries(journal, () => undefined));
  return await inspect(path);
}

/**
 * The facts are a prefix of the whole series, cut between two rounds, and contain everything
 * acknowledged.
 */
export function assertBeginning(found: Found, whole: Found, acknowledged: number): void {
  const count = found.events.length;
  assert.ok(WHOLE.includes(count), `${count} events: a turn was torn apart`);
  assert.ok(count >= acknowledged, `${acknowledged} was acknowledged and only ${count} are there`);
  assert.deepEqual(found.events, whole.events.slice(0, count));
}
