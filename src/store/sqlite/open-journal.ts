import type { Journal } from '../journal.ts';
import { SqliteJournal } from './sqlite-journal.ts';

/** Opens the journal in this file, or creates it. Refuses a file that is not a journal, or a newer one. */
export function openJournal(path: string): Journal {
  return SqliteJournal.open(path);
}
