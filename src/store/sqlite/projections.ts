/** The `runs` table: written in the transaction of the facts that it follows from. */
import { runOfStream } from '../../protocol/event.ts';
import type { Payload, Submission } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/run-view.ts';
import { wholeView } from '../../protocol/run-view.ts';
import type { RunFilter } from '../journal.ts';
import type { Run } from '../run-projection.ts';
import { projectRun } from '../run-projection.ts';
import type { Database, Statement } from './database.ts';
import type { EventRow } from './event-row.ts';
import { EVENT_COLUMNS, eventOf } from './event-row.ts';

type RunRow = { readonly submission: number; readonly view: string; readonly payload: string };

const SELECT = `
  SELECT runs.submission, runs.view, events.payload
  FROM runs JOIN events ON events.id = runs.submission`;

export class RunTable {
  readonly #database: Database;
  readonly #put: Statement;
  readonly #update: Statement;
  readonly #get: Statement;
  readonly #lists = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
    this.#put = database.prepare(`
      INSERT INTO runs (submission, id, project, submitted_at, ended_at, view)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET
        submission = excluded.submission, project = excluded.project,
        submitted_at = excluded.submitted_at, ended_at = excluded.ended_at, view = excluded.view`);
    this.#update = database.prepare('UPDATE runs SET view = ? WHERE submission = ?');
    this.#get = database.prepare(`${SELECT} WHERE runs.id = ?`);
  }

  /** `before` is what the table holds now: most facts change the view and no column of a query. */
  write(before: Run | undefined, { submission, view }: Run): void {
    const { task: _, ...rest } = view;
    const text = JSON.stringify(rest);
    if (before?.submission === submission && before.view.endedAt === view.endedAt)
      this.#update.run(text, submission);
    else this.#put.run(submission, view.id, view.project, view.submittedAt, view.endedAt, text);
  }

  read(id: string): Run | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : runOf(row as RunRow);
  }

  list({ project, program, ended, limit }: RunFilter): readonly RunView[] {
    const conditions = [
      ...(project === undefined ? [] : ['runs.project = ?']),
      ...(program === undefined ? [] : ["json_extract(runs.view, '$.program') = ?"]),
      ...(ended === undefined ? [] : [`runs.ended_at IS ${ended ? 'NOT ' : ''}NULL`]),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const rows = this.#list(`${SELECT} ${where} ORDER BY runs.submission DESC LIMIT ?`).all(
      ...[project, program].filter((value) => value !== undefined),
      limit,
    );
    return rows.map((row) => runOf(row as RunRow).view);
  }

  /** Inside a transaction of the caller's. Holds one run at a time, however many there are. */
  rebuild(): void {
    this.#database.exec('DELETE FROM runs');
    const events = this.#database.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE substr(stream, 1, 4) = 'run/' ORDER BY stream, seq`,
    );
    let stream = '';
    let run: Run | undefined;
    const put = (): void => {
      if (run !== undefined) this.write(undefined, run);
    };
    for (const row of events.iterate()) {
      const event = eventOf(row as EventRow);
      if (event.stream !== stream) {
        put();
        stream = event.stream;
        run = undefined;
      }
      run = projectRun(run, event);
    }
    put();
  }

  #list(sql: string): Statement {
    const statement = this.#lists.get(sql) ?? this.#database.prepare(sql);
    this.#lists.set(sql, statement);
    return statement;
  }
}

function runOf({ submission, view, payload }: RunRow): Run {
  const first = JSON.parse(payload) as Submission | Payload<'run.forked'>;
  const { task } = 'submission' in first ? first.submission : first;
  return { submission, view: wholeView({ ...(JSON.parse(view) as Omit<RunView, 'task'>), task }) };
}

/** The run whose facts a stream holds, as the table has it. */
export function readRunOfStream(table: RunTable, stream: string): Run | undefined {
  const id = runOfStream(stream);
  return id === undefined ? undefined : table.read(id);
}
