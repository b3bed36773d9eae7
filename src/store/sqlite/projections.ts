/**
 * The `runs` table. The columns that queries filter by (project, end) are written in the transaction of the facts.
 * The view of a running run is written only now and then; readers fold the facts that came since, at most `LAG_MAX`.
 * (ADR 13)
 */
import { runOfStream, runStream } from '../../protocol/streams.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { RunFilter } from '../journal.ts';
import type { StoredRun } from '../run-projection.ts';
import { projectRun } from '../run-projection.ts';
import type { RunRow } from '../run-row.ts';
import { cellsOfRun, readFirstFact, readRunRow } from '../run-row.ts';
import type { Database, Statement } from './database.ts';
import type { StreamHead } from '../plan-group.ts';
import type { EventRow } from '../event-row.ts';
import { DamagedFact, EVENT_COLUMNS, readEvent, eventsOfStream } from '../event-row.ts';

/** Called for a run that is left out because one of its facts is damaged. */
export type OnDamaged = (error: DamagedFact) => void;

/**
 * Updating the row for every fact would cost a page per sync. Folding this many facts on reading is hardly
 * noticeable.
 */
const LAG_MAX = 32;

const SELECT = `
  SELECT ${EVENT_COLUMNS}, runs.id AS run_id, runs.project, runs.submitted_at, runs.ended_at,
    runs.view, runs.checksum AS run_checksum
  FROM runs JOIN events ON events.id = runs.submission`;

/** The parent of a long-lived agent is another relation: an agent is listed, whatever its parent is. */
const IS_AGENT = `json_extract(runs.view, '$.program') = '${AGENT_PROGRAM}'`;
const PARENT = "json_extract(runs.view, '$.parent')";
const NO_CHILD = `(${PARENT} IS NULL OR ${IS_AGENT})`;
const CHILD_OF = `${PARENT} = ? AND NOT ${IS_AGENT}`;

/** `next`: continue with runs that were submitted before that fact. Undefined if there are no more. */
type RunPage = { readonly runs: readonly StoredRun[]; readonly next: number | undefined };

export class RunTable {
  readonly #database: Database;
  readonly #put: Statement;
  readonly #update: Statement;
  readonly #get: Statement;
  readonly #submission: Statement;
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
    this.#submission = database.prepare('SELECT submission FROM runs WHERE id = ?');
    this.#since = database.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND seq > ? ORDER BY seq`,
    );
  }

  /** The runs whose rows have to change with their facts, each before and after. */
  changedRows(
    heads: Iterable<{ readonly before: StreamHead; readonly after: StreamHead }>,
  ): readonly (readonly [before: StoredRun | undefined, after: StoredRun])[] {
    return [...heads].flatMap(({ before: { run: before }, after: { run: after } }) => {
      if (after === undefined) return [];
      const isSame = before !== undefined && !isNewRow(before, after);
      return isSame && mayLag(before.view, after.view) ? [] : [[before, after] as const];
    });
  }

  /** Writes the row of a run, in the transaction of its facts. */
  write(before: StoredRun | undefined, after: StoredRun): void {
    const { submission } = after;
    const isNew = isNewRow(before, after);
    const { id, project, submittedAt, endedAt, view: text, checksum } = cellsOfRun(after);
    if (isNew) this.#put.run(submission, id, project, submittedAt, endedAt, text, checksum);
    else this.#update.run(text, checksum, submission);
  }

  read(id: string): StoredRun | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : this.#readRun(row as RunRow, () => undefined);
  }

  /** The fact of its submission. 0 if there is no such run. */
  submissionOf(id: string): number {
    return (
      (this.#submission.get(id) as { readonly submission: number } | undefined)?.submission ?? 0
    );
  }

  /**
   * The runs submitted before that fact. `known` returns a run whose current state is in memory, which saves catching
   * up. A run with a damaged fact is left out and passed to `onDamaged`; the others are complete.
   */
  list(
    { project, program, idPrefix, parent, ended, limit }: RunFilter,
    before: number,
    known: (id: string) => StoredRun | undefined,
    onDamaged: OnDamaged,
  ): RunPage {
    const conditions = [
      'runs.submission < ?',
      ...(project === undefined ? [] : ['runs.project = ?']),
      ...(program === undefined ? [] : ["json_extract(runs.view, '$.program') = ?"]),
      // A range, so that the index on the id is used: `g` follows every hex digit.
      ...(idPrefix === undefined ? [] : ["runs.id >= ? AND runs.id < ? || 'g'"]),
      ...(parent === undefined ? [] : [parent === null ? NO_CHILD : CHILD_OF]),
      ...(ended === undefined ? [] : [`runs.ended_at IS ${ended ? 'NOT ' : ''}NULL`]),
    ];
    const where = conditions.join(' AND ');
    const rows = this.#list(`${SELECT} WHERE ${where} ORDER BY runs.submission DESC LIMIT ?`).all(
      Math.min(before, Number.MAX_SAFE_INTEGER),
      ...[project, program, idPrefix, idPrefix, parent ?? undefined].filter(
        (value) => value !== undefined,
      ),
      limit,
    );
    const runs = rows.flatMap((row) => {
      try {
        return this.#readRun(row as RunRow, known);
      } catch (error) {
        if (!(error instanceof DamagedFact)) throw error;
        onDamaged(error);
        return [];
      }
    });
    const last = (rows.at(-1) as RunRow | undefined)?.id;
    return { runs, next: rows.length < limit ? undefined : last };
  }

  /**
   * Rebuilds rows that are not as they were written. A row of a run with a damaged fact stays, and `list` reports it.
   */
  repair(): void {
    const rows = this.#list(
      `${SELECT} WHERE runs.checksum <> run_checksum(runs.submission, runs.id, runs.project,
        runs.submitted_at, runs.ended_at, runs.view)`,
    ).all();
    for (const row of rows)
      try {
        this.#readRun(row as RunRow, () => undefined);
      } catch (error) {
        if (!(error instanceof DamagedFact)) throw error;
      }
  }

  /** Runs inside a transaction of the caller. Holds one run at a time in memory. */
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
      const event = readEvent(row as EventRow);
      if (event.stream !== stream) {
        put();
        stream = event.stream;
        run = undefined;
      }
      run = projectRun(run, event);
    }
    put();
  }

  #readRun(row: RunRow, known: (id: string) => StoredRun | undefined): StoredRun {
    const { stream, payload } = readFirstFact(row);
    const current = known(runOfStream(stream) ?? row.run_id);
    if (current !== undefined) return current;
    const run = readRunRow(row, payload);
    return run === undefined ? this.#rebuildRun(stream) : this.#catchUp(run);
  }

  #catchUp(run: StoredRun): StoredRun {
    if (run.view.endedAt !== null) return run;
    return this.#foldSince(run, runStream(run.view.id), run.view.seq) ?? run;
  }

  /** A row is a projection, so a damaged one is rebuilt from the facts. */
  #rebuildRun(stream: string): StoredRun {
    const run = this.#foldSince(undefined, stream, 0);
    if (run === undefined) throw new DamagedFact(stream, 1, 'it is missing');
    this.write(undefined, run);
    return run;
  }

  #foldSince(from: StoredRun | undefined, stream: string, seq: number): StoredRun | undefined {
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

/** Whether the row may wait for a later fact. After its end, every fact of a run is written. */
/** The columns that queries filter by differ. */
function isNewRow(before: StoredRun | undefined, { submission, view }: StoredRun): boolean {
  return before?.submission !== submission || before.view.endedAt !== view.endedAt;
}

function mayLag(before: RunView, after: RunView): boolean {
  return (
    after.endedAt === null && Math.floor(before.seq / LAG_MAX) === Math.floor(after.seq / LAG_MAX)
  );
}

/** The run of a stream, as the table has it. */
export function readRunOfStream(table: RunTable, stream: string): StoredRun | undefined {
  const id = runOfStream(stream);
  return id === undefined ? undefined : table.read(id);
}
