import { notEmpty } from '../journal-refusals.ts';
import { findGap, ONLY_OWNERS, refuseGap } from '../transfer/imported-facts.ts';
import type { Pages } from '../transfer/journal-pages.ts';
import { openDatabase } from './database.ts';
import { RunTable } from './projections.ts';
import { sqliteRefusal } from './sqlite-errors.ts';
import { Statements } from './statements.ts';

/**
 * Writes these facts into the file of a journal, which may be absent: all of them in one transaction, or none. `check`
 * may refuse after the last page. Refuses a file with runs. Nothing else has the file open.
 */
export async function importIntoSqlite(
  path: string,
  pages: Pages,
  check: () => void,
): Promise<void> {
  const database = openDatabase(path);
  try {
    const sql = new Statements(database);
    sql.begin.run();
    if (database.prepare(`SELECT 1 FROM events WHERE NOT ${ONLY_OWNERS} LIMIT 1`).get())
      throw notEmpty(path);
    database.exec('DELETE FROM events; DELETE FROM snapshots');
    for await (const page of pages)
      for (const event of page) sql.insert(event, JSON.stringify(event.payload));
    const gap = database.prepare(findGap('events')).get();
    refuseGap(gap === undefined ? undefined : String(gap['stream']));
    check();
    new RunTable(database).rebuild();
    sql.commit.run();
  } catch (error) {
    throw sqliteRefusal(error, path);
  } finally {
    database.close(); // what is not committed is rolled back
  }
}
