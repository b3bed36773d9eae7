/** Reads a whole journal and reports what is damaged. Changes nothing, and works while an owner is running. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isRefusal } from '../../base/errors.ts';
import { integrityProblems } from './database.ts';
import { refusalAtOpening } from './sqlite-errors.ts';
import type { EventRow } from '../event-row.ts';
import { EVENT_COLUMNS } from '../event-row.ts';
import type { FactsHealth, JournalHealth } from '../facts-check.ts';
import { FactsCheck } from '../facts-check.ts';
import { SCHEMA_VERSION } from './schema.ts';

export function checkJournal(path: string): JournalHealth {
  if (!existsSync(path)) return { kind: 'absent' };
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version !== SCHEMA_VERSION) return { kind: 'other-version', version };
    const problems = integrityProblems(database);
    if (problems.length > 0) return { kind: 'checked', facts: 0, problems, runs: [] };
    return { kind: 'checked', ...checkFacts(database) };
  } catch (error) {
    const reason = refusalAtOpening(error, path);
    if (!isRefusal(reason)) throw error;
    return { kind: 'checked', facts: 0, problems: [reason.message], runs: [] };
  }
}

function checkFacts(database: DatabaseSync): FactsHealth {
  const check = new FactsCheck();
  const select = database.prepare(`SELECT ${EVENT_COLUMNS} FROM events ORDER BY stream, seq`);
  for (const row of select.iterate()) check.add(row as EventRow);
  return check.result();
}
