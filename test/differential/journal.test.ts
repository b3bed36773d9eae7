/** Two journals that share little code give the same answers, whatever their callers do. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
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
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts';
import { temporaryFolder } from '../support/journal-files.ts';
import type { JournalCall } from '../support/journal-histories.ts';
import { history } from '../support/journal-histories.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 300);
const ALL = { after: 0, limit: 10_000 };
const IDS = ['a', 'b', 'c'];
const STREAMS = [...IDS.map(runStream), OWNER_STREAM];

type Kind = {
  readonly open: () => Journal;
  /** Some journals can simply be dropped; a file must be closed before it is opened again. */
  readonly drop: (journal: Journal) => Promise<void>;
};

class Player {
  readonly #kind: Kind;
  journal: Journal;

  constructor(kind: Kind) {
    this.#kind = kind;
    this.journal = kind.open();
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
      this.journal = this.#kind.open();
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

test(`memory and SQLite answer ${RUNS} random histories alike, and their projections are the fold`, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (turns) => {
      using folder = temporaryFolder();
      const disk = new MemoryDisk();
      const path = join(folder.path, 'journal.db');
      const memory = new Player({
        open: () => new MemoryJournal(disk),
        drop: async () => undefined,
      });
      const sqlite = new Player({
        open: () => {
          const database = openDatabase(path);
          database.exec('PRAGMA synchronous = OFF'); // no power loss here
          return new SqliteJournal(database, path);
        },
        drop: (journal) => journal.close(),
      });
      try {
        for (const turn of turns) {
          assert.deepEqual(await sqlite.play(turn), await memory.play(turn));
        }
        const live = await everything(sqlite.journal);
        assert.deepEqual(live, await everything(memory.journal));
        for (const id of IDS) {
          const stream = await sqlite.journal.readStream(runStream(id), ALL);
          assert.deepEqual(await sqlite.journal.run(id), fold(stream));
        }
        await sqlite.journal.rebuild();
        assert.deepEqual(await everything(sqlite.journal), live);
        await memory.journal.rebuild();
        assert.deepEqual(await everything(memory.journal), live);
      } finally {
        await sqlite.journal.close();
      }
    }),
    { numRuns: RUNS },
  );
});
