/** Journals that share little code give the same answers, whatever their callers do. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import * as fc from 'fast-check';
import { at } from '../../src/base/clock.ts';
import { isRefusal } from '../../src/base/errors.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { isRunEvent, OWNER_STREAM, runStream } from '../../src/protocol/streams.ts';
import type { RunView } from '../../src/protocol/views/run-view.ts';
import { foldRunView } from '../../src/protocol/views/run-view.ts';
import type { Journal } from '../../src/store/journal.ts';
import { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { MemoryJournal } from '../../src/store/memory/memory-journal.ts';
import { PostgresJournal } from '../../src/store/postgres/postgres-journal.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts';
import { VIEWS } from '../../src/store/sqlite/views.ts';
import { temporaryFolder } from '../support/journal-files.ts';
import type { JournalCall } from '../support/journal-histories.ts';
import { history } from '../support/journal-histories.ts';
import {
  ownerFacts,
  PATIENT,
  PostgresCluster,
  skipWithoutPostgres,
} from '../support/postgres-cluster.ts';
import { viewedRuns, writeViewedRuns } from '../support/viewed-runs.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 300);
/** Each takes about 200 ms: a schema is made, and appends go to another process. */
const POSTGRES_RUNS = Math.ceil(RUNS / 20);
const VIEW_RUNS = Math.ceil(RUNS / 50);
const ALL = { after: 0, limit: 10_000 };
const IDS = ['a', 'b', 'c'];
const STREAMS = [...IDS.map(runStream), OWNER_STREAM];

type Kind = {
  readonly open: () => Journal | Promise<Journal>;
  /** Some journals can simply be dropped; a file must be closed before it is opened again. */
  readonly drop: (journal: Journal) => Promise<void>;
};

class Player {
  readonly #kind: Kind;
  journal: Journal;

  private constructor(kind: Kind, journal: Journal) {
    this.#kind = kind;
    this.journal = journal;
  }

  static async start(kind: Kind): Promise<Player> {
    return new Player(kind, await kind.open());
  }

  /** The answers to one round of calls. */
  async play(turn: readonly JournalCall[]): Promise<unknown[]> {
    // An expected seq counts the appends of this round, as those of one caller do.
    const believed = new Map<string, number>();
    for (const stream of STREAMS) believed.set(stream, await this.journal.lastSeq(stream));
    const answers: Promise<unknown>[] = [];
    for (const call of turn) {
      if (call.kind === 'reopen') continue;
      answers.push(this.#call(call, believed).catch(codeOf));
    }
    const results = await Promise.all(answers);
    if (turn.some(({ kind }) => kind === 'reopen')) {
      await this.#kind.drop(this.journal);
      this.journal = await this.#kind.open();
    }
    return results;
  }

  async #call(
    call: Exclude<JournalCall, { kind: 'reopen' }>,
    believed: Map<string, number>,
  ): Promise<unknown> {
    switch (call.kind) {
      case 'append': {
        const lastSeq = believed.get(call.stream) ?? 0;
        if (call.off === 0) believed.set(call.stream, lastSeq + call.events.length);
        return await this.journal.append(call.stream, lastSeq + call.off, call.events, at(call.at));
      }
      case 'append-all': {
        const appends = call.appends.map(({ stream, off, events }) => {
          const lastSeq = (believed.get(stream) ?? 0) + off;
          return { stream, lastSeq, events };
        });
        if (call.appends.every(({ off }) => off === 0))
          for (const { stream, lastSeq, events } of appends)
            believed.set(stream, lastSeq + events.length);
        return await this.journal.appendAll(appends, at(call.at));
      }
      case 'snapshot': {
        const { stream, seq } = call;
        return await this.journal.saveSnapshot(stream, { maker: 'fold@1', seq, state: { seq } });
      }
      case 'rebuild':
        return await this.journal.rebuild();
    }
  }
}

function codeOf(error: unknown): string {
  if (isRefusal(error)) return error.data.code;
  throw error;
}

async function everything(journal: Journal): Promise<unknown> {
  const filters = [{}, { project: '/a' }, { ended: true }, { ended: false, project: '/b' }];
  return {
    all: await journal.readAll(ALL),
    back: await journal.readBack(7, 4),
    page: await journal.readAll({ after: 3, limit: 5 }),
    streams: await Promise.all(STREAMS.map((stream) => journal.readStream(stream, ALL))),
    seqs: await Promise.all(STREAMS.map((stream) => journal.lastSeq(stream))),
    lastId: await journal.lastId(),
    runs: await Promise.all(filters.map((filter) => journal.runs({ ...filter, limit: 10 }))),
    run: await Promise.all(IDS.map((id) => journal.run(id))),
    snapshots: await Promise.all(STREAMS.map((stream) => journal.loadSnapshot(stream, 'fold@1'))),
  };
}

function fold(events: readonly StoredEvent[]): RunView | undefined {
  let view: RunView | undefined;
  for (const event of events) if (isRunEvent(event)) view = foldRunView(view, event);
  return view;
}

/** The other journal gets a new, empty place for each history. */
async function answersAlike(
  runs: number,
  place: () => { readonly kind: Kind } & AsyncDisposable,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(history, async (turns) => {
      await using other = place();
      const disk = new MemoryDisk();
      const memory = await Player.start({
        open: () => new MemoryJournal(disk),
        drop: async () => undefined,
      });
      const stored = await Player.start(other.kind);
      try {
        for (const turn of turns) {
          assert.deepEqual(await stored.play(turn), await memory.play(turn));
        }
        const live = await everything(stored.journal);
        assert.deepEqual(live, await everything(memory.journal));
        for (const id of IDS) {
          const stream = await stored.journal.readStream(runStream(id), ALL);
          assert.deepEqual(await stored.journal.run(id), fold(stream));
        }
        await stored.journal.rebuild();
        assert.deepEqual(await everything(stored.journal), live);
        await memory.journal.rebuild();
        assert.deepEqual(await everything(memory.journal), live);
      } finally {
        await stored.journal.close();
      }
    }),
    { numRuns: runs },
  );
}

test(`memory and SQLite answer ${RUNS} random histories alike, and their projections are the fold`, async () => {
  await answersAlike(RUNS, () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'journal.db');
    const open = (): Journal => {
      const database = openDatabase(path);
      database.exec('PRAGMA synchronous = OFF'); // no power loss here
      return new SqliteJournal(database, path);
    };
    return {
      kind: { open, drop: (journal) => journal.close() },
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  });
});

describe('PostgreSQL', { skip: skipWithoutPostgres }, () => {
  let cluster: PostgresCluster;
  before(async () => void (cluster = await PostgresCluster.start()));
  after(() => cluster[Symbol.asyncDispose]());

  test(`answers ${POSTGRES_RUNS} random histories as memory does`, async () => {
    await answersAlike(POSTGRES_RUNS, () => {
      const address = cluster.address();
      return {
        kind: {
          open: () => PostgresJournal.open({ address, owner: ownerFacts(), waits: PATIENT }),
          drop: (journal) => journal.close(),
        },
        [Symbol.asyncDispose]: async () =>
          void cluster.sql(`DROP SCHEMA IF EXISTS ${address.schema} CASCADE`),
      };
    });
  });

  test('shows random runs in the same views as SQLite', async () => {
    await fc.assert(
      fc.asyncProperty(viewedRuns, async (runs) => {
        using folder = temporaryFolder();
        const file = join(folder.path, 'journal.db');
        const address = cluster.address();
        const journals = [
          SqliteJournal.open(file),
          await PostgresJournal.open({ address, owner: ownerFacts(), waits: PATIENT }),
        ];
        for (const journal of journals) {
          await writeViewedRuns(journal, runs);
          await journal.close();
        }
        using database = new DatabaseSync(file, { readOnly: true });
        for (const view of Object.keys(VIEWS)) {
          const expected = database.prepare(`SELECT * FROM ${view}`).all();
          const text = cluster.sql(
            `SELECT coalesce(json_agg(v), '[]') FROM ${address.schema}.${view} AS v`,
          );
          const found = JSON.parse(text) as Readonly<Record<string, unknown>>[];
          assert.deepEqual(comparable(found), comparable(expected), view);
        }
        cluster.sql(`DROP SCHEMA ${address.schema} CASCADE`);
      }),
      { numRuns: VIEW_RUNS, endOnFailure: true }, // to make it smaller takes minutes
    );
  });
});

/** In one order, and with JSON as values: a column of SQLite has its text. */
function comparable(rows: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const value = (cell: unknown): unknown =>
    typeof cell === 'string' && /^[{[]/.test(cell) ? sorted(JSON.parse(cell)) : sorted(cell);
  return rows
    .map((row) =>
      JSON.stringify(
        sorted(Object.fromEntries(Object.entries(row).map(([k, v]) => [k, value(v)]))),
      ),
    )
    .toSorted();
}

/** `jsonb` keeps no order of keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, sorted(one)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
