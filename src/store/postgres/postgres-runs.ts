/** The table `runs`. Unlike in SQLite a row never lags behind its facts: it is written in the statement that adds them. */
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import { runOfStream, runStream } from '../../protocol/streams.ts';
import { DamagedFact, EVENT_COLUMNS, eventsOfStream } from '../event-row.ts';
import type { RunFilter } from '../journal.ts';
import type { StoredRun } from '../run-projection.ts';
import { projectRun } from '../run-projection.ts';
import type { RunRow } from '../run-row.ts';
import { cellsOfRun, readFirstFact, readRunRow } from '../run-row.ts';

export type Query = (sql: string, values: readonly unknown[]) => Promise<unknown[]>;

/** `next`: continue with runs that were submitted before that fact. Undefined if there are no more. */
type PageOfRuns = { readonly runs: readonly StoredRun[]; readonly next: number | undefined };

const COLUMNS = 'submission, id, project, program, parent, submitted_at, ended_at, view, checksum';
const TYPES = 'bigint[], text[], text[], text[], text[], float8[], float8[], text[], bigint[]';
const FACTS_PAGE = 500;

/** The part of a statement that writes rows. It takes nine arrays, from the parameter `first` on. */
export function putRuns(schema: string, first: number, from = ''): string {
  const arrays = TYPES.split(', ').map((type, index) => `$${first + index}::${type}`);
  return `INSERT INTO ${schema}.runs (${COLUMNS})
    SELECT run.* FROM ${from}unnest(${arrays.join(', ')}) AS run
    ON CONFLICT (id) DO UPDATE SET
      submission = excluded.submission, project = excluded.project, program = excluded.program,
      parent = excluded.parent, submitted_at = excluded.submitted_at,
      ended_at = excluded.ended_at, view = excluded.view, checksum = excluded.checksum`;
}

/** The nine arrays. */
export function arraysOfRuns(runs: readonly StoredRun[]): readonly unknown[] {
  const cells = runs.map(cellsOfRun);
  return [
    cells.map(({ submission }) => submission),
    cells.map(({ id }) => id),
    cells.map(({ project }) => columnText(project)),
    runs.map(({ view }) => columnText(view.program)),
    runs.map(({ view }) => view.parent),
    cells.map(({ submittedAt }) => submittedAt),
    cells.map(({ endedAt }) => endedAt),
    cells.map(({ view }) => view),
    cells.map(({ checksum }) => checksum),
  ];
}

/** A text that is compared and never read back. PostgreSQL has no character 0 in a text. */
export function columnText(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

export class PostgresRuns {
  readonly #schema: string;
  readonly #query: Query;

  constructor(schema: string, query: Query) {
    this.#schema = schema;
    this.#query = query;
  }

  async read(id: string): Promise<StoredRun | undefined> {
    const [row] = await this.#query(`${this.#select()} WHERE runs.id = $1`, [columnText(id)]);
    return row === undefined ? undefined : this.#readRun(row as RunRow);
  }

  /** The fact of its submission. 0 if there is no such run. */
  async submissionOf(id: string): Promise<number> {
    const [row] = await this.#query(`SELECT submission FROM ${this.#schema}.runs WHERE id = $1`, [
      columnText(id),
    ]);
    return (row as { readonly submission: number } | undefined)?.submission ?? 0;
  }

  async ofStream(stream: string): Promise<StoredRun | undefined> {
    const id = runOfStream(stream);
    return id === undefined ? undefined : this.read(id);
  }

  async list(
    { project, program, idPrefix, parent, ended, limit }: RunFilter,
    before: number,
    onDamaged: (error: DamagedFact) => void,
  ): Promise<PageOfRuns> {
    const values: unknown[] = [];
    const given = (value: unknown): string => `$${values.push(value)}`;
    const conditions = [`runs.submission < ${given(Math.min(before, Number.MAX_SAFE_INTEGER))}`];
    if (project !== undefined) conditions.push(`runs.project = ${given(columnText(project))}`);
    if (program !== undefined) conditions.push(`runs.program = ${given(columnText(program))}`);
    if (idPrefix !== undefined) {
      // A range, so that the index on the id is used: `g` follows every hex digit.
      const prefix = `${given(columnText(idPrefix))}::text`;
      conditions.push(`runs.id >= ${prefix} AND runs.id < ${prefix} || 'g'`);
    }
    // The parent of a long-lived agent is another relation: an agent is listed, whatever its parent is.
    if (parent === null)
      conditions.push(`(runs.parent IS NULL OR runs.program = ${given(AGENT_PROGRAM)})`);
    else if (parent !== undefined)
      conditions.push(`runs.parent = ${given(parent)} AND runs.program <> ${given(AGENT_PROGRAM)}`);
    if (ended !== undefined) conditions.push(`runs.ended_at IS ${ended ? 'NOT ' : ''}NULL`);
    const rows = (await this.#query(
      `${this.#select()} WHERE ${conditions.join(' AND ')}
       ORDER BY runs.submission DESC LIMIT ${given(limit)}`,
      values,
    )) as RunRow[];
    const runs: StoredRun[] = [];
    for (const row of rows)
      try {
        runs.push(await this.#readRun(row));
      } catch (error) {
        if (!(error instanceof DamagedFact)) throw error;
        onDamaged(error);
      }
    return { runs, next: rows.length < limit ? undefined : rows.at(-1)?.id };
  }

  /** The run of a stream, folded from its facts alone. Holds one page of them in memory. */
  async fold(stream: string): Promise<StoredRun | undefined> {
    let run: StoredRun | undefined;
    for (let seq = 0; ;) {
      const rows = await this.#query(
        `SELECT ${EVENT_COLUMNS} FROM ${this.#schema}.events
         WHERE stream = $1 AND seq > $2 ORDER BY seq LIMIT ${FACTS_PAGE}`,
        [stream, seq],
      );
      for (const event of eventsOfStream(rows, stream, seq)) run = projectRun(run, event);
      seq += rows.length;
      if (rows.length < FACTS_PAGE) return run;
    }
  }

  /** A row is a projection, so a damaged one is replaced by the fold of its facts. */
  async #readRun(row: RunRow): Promise<StoredRun> {
    const { payload } = readFirstFact(row);
    const read = readRunRow(row, payload);
    if (read !== undefined) return read;
    const stream = runStream(row.run_id);
    const folded = await this.fold(stream);
    if (folded === undefined) throw new DamagedFact(stream, 1, 'it is missing');
    return folded;
  }

  #select(): string {
    return `SELECT ${EVENT_COLUMNS}, runs.id AS run_id, runs.project, runs.submitted_at,
        runs.ended_at, runs.view, runs.checksum AS run_checksum
      FROM ${this.#schema}.runs AS runs
      JOIN ${this.#schema}.events AS events ON events.id = runs.submission`;
  }
}
