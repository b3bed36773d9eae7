/**
 * The `runs` table. What queries ask for (the project, whether it has ended) is written in the
 * transaction of the facts that it follows from. The view of a run that goes on is written now and
 * then; who reads it folds the facts that came since, at most `LAG_MAX`. (ADR 13)
 */
import { runOfStream, runStream } from '../../protocol/event.ts';
import type { Payload, StoredEvent, Submission } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { storedView, wholeView } from '../../protocol/views/run-view.ts';
import type { RunFilter } from '../journal.ts';
import type { StoredRun } from '../run-projection.ts';
import { projectRun } from '../run-projection.ts';
import type { Database, Statement } from './database.ts';
import { checksumOfRun } from './checksum.ts';
import type { EventRow } from './event-row.ts';
import { DamagedFact, EVENT_COLUMNS, eventOf, eventsOfStream } from './event-row.ts';

/** The row of a run beside its first fact. */
type RunRow = EventRow & {
  readonly run_id: string;
  readonly project: string;
  readonly submitted_at: number;
  readonly ended_at: number | null;
  readonly view: string;
  readonly run_checksum: number;
};

/** Told of a run that is left out because one of its facts is damaged. */
export type OnDamaged = (error: DamagedFact) => void;

/** A row for every fact costs a page for every sync; this many facts are folded sooner than they are felt. */
const LAG_MAX = 32;

const SELECT = `
  SELECT ${EVENT_COLUMNS}, runs.id AS run_id, runs.project, runs.submitted_at, runs.ended_at,
    runs.view, runs.checksum AS run_checksum
  FROM runs JOIN events ON events.id = runs.submission`;

/** `next`: read on with what was submitted before that fact; undefined when there is no more. */
type RunPage = { readonly runs: readonly StoredRun[]; readonly next: number | undefined };

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
      INSERT INTO runs (submission, id, project, submitted_at, ended_at, view, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET
        submission = excluded.submission, project = excluded.project,
        submitted_at = excluded.submitted_at, ended_at = excluded.ended_at, view = excluded.view,
        checksum = excluded.checksum`);
    this.#update = database.prepare('UPDATE runs SET view = ?, checksum = ? WHERE submission = ?');
    this.#get = database.prepare(`${SELECT} WHERE runs.id = ?`);
    this.#since = database.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND seq > ? ORDER BY seq`,
    );
  }

  /** What became of `before` with the facts of this transaction. */
  write(before: StoredRun | undefined, after: StoredRun): void {
    const { submission, view } = after;
    const isNew = before?.submission !== submission || before.view.endedAt !== view.endedAt;
    if (!isNew && isLate(before.view, view)) return;
    const { id, project, submittedAt, endedAt } = view;
    const text = JSON.stringify(storedView(view));
    const cells = { submission, id, project, submittedAt, endedAt, view: text };
    const checksum = checksumOfRun(cells);
    if (isNew) this.#put.run(submission, id, project, submittedAt, endedAt, text, checksum);
    else this.#update.run(text, checksum, submission);
  }

  read(id: string): StoredRun | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : this.#runOf(row as RunRow, () => undefined);
  }

  /**
   * Those submitted before that fact. `known` gives a run that is at hand as it stands, which spares
   * catching up with it. A run with a damaged fact is left out and told to `onDamaged`: the others are whole.
   */
  list(
    { project, program, ended, limit }: RunFilter,
    before: number,
    known: (id: string) => StoredRun | undefined,
    onDamaged: OnDamaged,
  ): RunPage {
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
    const runs = rows.flatMap((row) => {
      try {
        return this.#runOf(row as RunRow, known);
      } catch (error) {
        if (!(error instanceof DamagedFact)) throw error;
        onDamaged(error);
        return [];
      }
    });
    const last = (rows.at(-1) as RunRow | undefined)?.id;
    return { runs, next: rows.length < limit ? undefined : last };
  }

  /** Makes the rows again that are not as they were written. Those of a run with a damaged fact stay for `list` to tell. */
  mend(): void {
    const rows = this.#list(
      `${SELECT} WHERE runs.checksum <> run_checksum(runs.submission, runs.id, runs.project,
        runs.submitted_at, runs.ended_at, runs.view)`,
    ).all();
    for (const row of rows)
      try {
        this.#runOf(row as RunRow, () => undefined);
      } catch (error) {
        if (!(error instanceof DamagedFact)) throw error;
      }
  }

  /** Inside a transaction of the caller's. Holds one run at a time, however many there are. */
  rebuild(): void {
    this.#database.exec('DELETE FROM runs');
    const events = this.#database.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE substr(stream, 1, 4) = 'run/' ORDER BY stream, seq`,
    );
    let stream = '';
    let run: StoredRun | undefined;
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

  #runOf(row: RunRow, known: (id: string) => StoredRun | undefined): StoredRun {
    const { stream, payload } = firstFactOf(row);
    const atHand = known(runOfStream(stream) ?? row.run_id);
    if (atHand !== undefined) return atHand;
    const { id: submission, run_id: id, project, view } = row;
    const cells = { submission, id, project, submittedAt: row.submitted_at, endedAt: row.ended_at };
    if (row.run_checksum !== checksumOfRun({ ...cells, view })) return this.#rebuilt(stream);
    const stored = JSON.parse(view) as Parameters<typeof wholeView>[0];
    return this.#caughtUp({ submission, view: wholeView(stored, taskOf(payload)) });
  }

  #caughtUp(run: StoredRun): StoredRun {
    if (run.view.endedAt !== null) return run;
    return this.#folded(run, runStream(run.view.id), run.view.seq) ?? run;
  }

  /** A row is a projection: one that is damaged is made again from the facts. */
  #rebuilt(stream: string): StoredRun {
    const run = this.#folded(undefined, stream, 0);
    if (run === undefined) throw new DamagedFact(stream, 1, 'it is missing');
    this.write(undefined, run);
    return run;
  }

  #folded(from: StoredRun | undefined, stream: string, seq: number): StoredRun | undefined {
    let run = from;
    for (const event of eventsOfStream(this.#since.all(stream, seq), stream, seq))
      run = projectRun(run, event);
    return run;
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

/** Names the run of the row: what a damaged fact says of itself may be the damage. */
function firstFactOf(row: RunRow): StoredEvent {
  try {
    return eventOf(row);
  } catch (error) {
    if (!(error instanceof DamagedFact)) throw error;
    throw new DamagedFact(runStream(row.run_id), 1, error.message);
  }
}

function taskOf(payload: unknown): string {
  const first = payload as Submission | Payload<'run.forked'>;
  return ('submission' in first ? first.submission : first).task;
}

/** The run whose facts a stream holds, as the table has it. */
export function readRunOfStream(table: RunTable, stream: string): StoredRun | undefined {
  const id = runOfStream(stream);
  return id === undefined ? undefined : table.read(id);
}
