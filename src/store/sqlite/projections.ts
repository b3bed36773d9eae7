/**
 * The `runs` table. What queries ask for (the project, whether it has ended) is written in the
 * transaction of the facts that it follows from. The view of a run that goes on is written now and
 * then; who reads it folds the facts that came since, at most `LAG_MAX`. (ADR 13)
 */
import { runOfStream, runStream } from '../../protocol/event.ts';
import type { Payload, Submission } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/run-view.ts';
import { storedView, wholeView } from '../../protocol/run-view.ts';
import type { RunFilter } from '../journal.ts';
import type { Run } from '../run-projection.ts';
import { projectRun } from '../run-projection.ts';
import type { Database, Statement } from './database.ts';
import type { EventRow } from './event-row.ts';
import { EVENT_COLUMNS, eventOf } from './event-row.ts';

type RunRow = { readonly submission: number; readonly view: string; readonly payload: string };

/** A row for every fact costs a page for every sync; this many facts are folded sooner than they are felt. */
const LAG_MAX = 32;

const SELECT = `
  SELECT runs.submission, runs.view, events.payload
  FROM runs JOIN events ON events.id = runs.submission`;

export class RunTable {
  readonly #database: Database;
  readonly #put: Statement;
  readonly #update: Statement;
  readonly #get: Statement;
  readonly #since: Statement;
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
    this.#since = database.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND seq > ? ORDER BY seq`,
    );
  }

  /** What became of `before` with the facts of this transaction. */
  write(before: Run | undefined, after: Run): void {
    const { submission, view } = after;
    const isNew = before?.submission !== submission || before.view.endedAt !== view.endedAt;
    if (!isNew && isLate(before.view, view)) return;
    const text = JSON.stringify(storedView(view));
    if (isNew)
      this.#put.run(submission, view.id, view.project, view.submittedAt, view.endedAt, text);
    else this.#update.run(text, submission);
  }

  read(id: string): Run | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : this.#caughtUp(runOf(row as RunRow));
  }

  /**
   * Those submitted before that fact. `known` gives a run that is at hand as it stands, which spares
   * catching up with it.
   */
  list(
    { project, program, ended, limit }: RunFilter,
    before: number,
    known: (id: string) => Run | undefined,
  ): readonly Run[] {
    const conditions = [
      'runs.submission < ?',
      ...(project === undefined ? [] : ['runs.project = ?']),
      ...(program === undefined ? [] : ["json_extract(runs.view, '$.program') = ?"]),
      ...(ended === undefined ? [] : [`runs.ended_at IS ${ended ? 'NOT ' : ''}NULL`]),
    ];
    const where = conditions.join(' AND ');
    const rows = this.#list(`${SELECT} WHERE ${where} ORDER BY runs.submission DESC LIMIT ?`).all(
      Math.min(before, Number.MAX_SAFE_INTEGER),
      ...[project, program].filter((value) => value !== undefined),
      limit,
    );
    return rows.map((row) => {
      const run = runOf(row as RunRow);
      return known(run.view.id) ?? this.#caughtUp(run);
    });
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

  #caughtUp(run: Run): Run {
    if (run.view.endedAt !== null) return run;
    let whole: Run | undefined = run;
    for (const row of this.#since.all(runStream(run.view.id), run.view.seq))
      whole = projectRun(whole, eventOf(row as EventRow));
    return whole ?? run;
  }

  #list(sql: string): Statement {
    const statement = this.#lists.get(sql) ?? this.#database.prepare(sql);
    this.#lists.set(sql, statement);
    return statement;
  }
}

/** Whether the facts between them may wait for their row. After its end every fact of a run is written. */
function isLate(before: RunView, after: RunView): boolean {
  return (
    after.endedAt === null && Math.floor(before.seq / LAG_MAX) === Math.floor(after.seq / LAG_MAX)
  );
}

function runOf({ submission, view, payload }: RunRow): Run {
  const first = JSON.parse(payload) as Submission | Payload<'run.forked'>;
  const { task } = 'submission' in first ? first.submission : first;
  return { submission, view: wholeView(JSON.parse(view) as Parameters<typeof wholeView>[0], task) };
}

/** The run whose facts a stream holds, as the table has it. */
export function readRunOfStream(table: RunTable, stream: string): Run | undefined {
  const id = runOfStream(stream);
  return id === undefined ? undefined : table.read(id);
}
