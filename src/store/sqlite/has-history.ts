import { existsSync } from 'node:fs';
import { isOnlyOfOwner } from '../transfer/imported-facts.ts';
import { SqliteJournal } from './sqlite-journal.ts';

/** More facts than that are history, whatever they say. */
const FACTS_MAX = 1000;

/** Whether this file has more than the starts and ends of owners. Nothing has it open. */
export async function hasHistory(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const journal = SqliteJournal.open(path);
  try {
    const facts = await journal.readAll({ after: 0, limit: FACTS_MAX, skipsDamaged: true });
    if (facts.length === FACTS_MAX || journal.damages().length > 0) return true;
    return !facts.every(isOnlyOfOwner);
  } finally {
    await journal.close();
  }
}
