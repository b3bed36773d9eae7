/** Reads a whole journal and reports what is damaged. Changes nothing, and works while an owner is running. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isRefusal } from '../../base/errors.ts';
import { runOfStream } from '../../protocol/streams.ts';
import { integrityProblems } from './database.ts';
import { refusalAtOpening } from './sqlite-errors.ts';
import type { EventRow } from '../event-row.ts';
import { DamagedFact, EVENT_COLUMNS, readEvent } from '../event-row.ts';
import { SCHEMA_VERSION } from './schema.ts';

export type JournalHealth =
  | { readonly kind: 'absent' }
  /** The file has another version than this program writes, so it is not read. */
  | { readonly kind: 'other-version'; readonly version: number }
  | {
      readonly kind: 'checked';
      readonly facts: number;
      /** Problems that make the whole file unusable. */
      readonly problems: readonly string[];
      /** The first few runs with a damaged fact, and which fact. */
      readonly runs: readonly { readonly run: string; readonly what: string }[];
    };

const NAMED_MAX = 20;

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

function checkFacts(
  database: DatabaseSync,
): Pick<JournalHealth & { kind: 'checked' }, 'facts' | 'problems' | 'runs'> {
  const found = new Map<string, string>();
  const problems: string[] = [];
  let facts = 0;
  const select = database.prepare(`SELECT ${EVENT_COLUMNS} FROM events ORDER BY stream, seq`);
  let last = { stream: '', seq: 0 };
  for (const row of select.iterate()) {
    facts += 1;
    const event = row as EventRow;
    const { stream, seq } = event;
    const after = stream === last.stream ? last.seq : 0;
    last = { stream, seq };
    const what = findDamage(event, after);
    if (what === undefined) continue;
    const run = runOfStream(stream);
    if (run !== undefined) found.set(run, found.get(run) ?? what);
    else if (problems.length < NAMED_MAX) problems.push(`${what} of ${JSON.stringify(stream)}`);
  }
  const runs = [...found].slice(0, NAMED_MAX).map(([run, what]) => ({ run, what }));
  return { facts, problems, runs };
}

function findDamage(row: EventRow, after: number): string | undefined {
  if (row.seq !== after + 1) return `fact ${after + 1} is missing`;
  try {
    readEvent(row);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedFact) return `fact ${row.seq} is damaged`;
    if (isRefusal(error)) return `fact ${row.seq} has an unknown version`;
    throw error;
  }
}
