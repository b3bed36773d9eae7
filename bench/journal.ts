/**
 * The overhead of the journal over its database. The yardstick is `node:sqlite` with the same
 * pragmas and the same `events` table, and with payloads that are text already. The journal also
 * serialises, updates the projection and notifies listeners. Rounds alternate, so that a busy
 * machine slows both.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { at } from '../src/base/clock.ts';
import type { NewEvent } from '../src/protocol/event.ts';
import { EVENT_VERSION } from '../src/protocol/event.ts';
import { runStream } from '../src/protocol/streams.ts';
import { openDatabase } from '../src/store/sqlite/database.ts';
import { SqliteJournal } from '../src/store/sqlite/sqlite-journal.ts';
import { ended, event, submitted } from '../src/testing/conformance/journal-events.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

type JournalFigures = {
  /**
   * Speed of one awaited append after the other, compared with one INSERT a commit; 1 is as fast as
   * raw.
   */
  readonly durableRatio: number;
  /** Speed of one append of many events, compared with one transaction of as many INSERTs. */
  readonly batchedRatio: number;
  /** Speed of as many appends in one round, compared with the same. */
  readonly groupedRatio: number;
  readonly durablePerSecond: number;
  readonly batchedPerSecond: number;
  readonly groupedPerSecond: number;
};

/** A slice is short and the slices alternate: on a busy machine both sides wait alike. */
const DURABLE = { events: 20, slices: 300 };
const BATCHED = { events: 1000, slices: 30 };

type Write = (stream: string, events: readonly NewEvent[]) => () => Promise<void> | void;

export async function figures(): Promise<readonly Figure[]> {
  const journal = await measureJournal();
  return [
    {
      name: 'durable append',
      value: journal.durableRatio,
      unit: '×',
      yardstick: 'raw node:sqlite, one commit an event',
      atLeast: 0.8,
    },
    {
      name: 'batched append',
      value: journal.batchedRatio,
      unit: '×',
      yardstick: 'raw node:sqlite, one transaction',
      atLeast: 0.5,
    },
  ];
}

async function measureJournal(): Promise<JournalFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-journal-'));
  const database = openDatabase(join(folder, 'raw.db'));
  const journal = SqliteJournal.open(join(folder, 'ours.db'));
  const raw = new RawInserts(database);
  try {
    const durable = await compare(DURABLE, raw.oneByOne, oneByOne(journal));
    const batched = await compare(BATCHED, raw.together, together(journal));
    const grouped = await compare(BATCHED, raw.together, inOneTurn(journal));
    return {
      durableRatio: durable.ratio,
      batchedRatio: batched.ratio,
      groupedRatio: grouped.ratio,
      durablePerSecond: durable.perSecond,
      batchedPerSecond: batched.perSecond,
      groupedPerSecond: grouped.perSecond,
    };
  } finally {
    await journal.close();
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(
  { events, slices }: typeof DURABLE,
  raw: Write,
  ours: Write,
): Promise<{ readonly ratio: number; readonly perSecond: number }> {
  const warm = Math.ceil(slices / 5);
  const ratios: number[] = [];
  const oursMs: number[] = [];
  for (let slice = -warm; slice < slices; slice += 1) {
    const [a, b] = [await timeMs(raw, events), await timeMs(ours, events)];
    if (slice < 0) continue;
    ratios.push(a / b);
    oursMs.push(b);
  }
  // The median of neighbours: it ignores a stall of the disk, and cancels a drift.
  return {
    ratio: median(ratios),
    perSecond: Math.round((events * 1000) / median(oursMs)),
  };
}

let streams = 0;

async function timeMs(write: Write, count: number): Promise<number> {
  streams += 1;
  const run = write(runStream(String(streams).padStart(10, '0')), buildEvents(count));
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** A realistic run: begun, ended, begun, ended … */
function buildEvents(count: number): readonly NewEvent[] {
  return Array.from({ length: count }, (_, index) => {
    if (index === 0) return submitted('/home/someone/project', 'Make the tests pass.');
    const key = `attempt-${Math.ceil(index / 2)}`;
    return index % 2 === 1 ? attemptBegun(key) : ended(key);
  });
}

function attemptBegun(key: string): NewEvent {
  const input = { agent: { id: 'worker' } };
  return event('command.begun', { key, command: 'attempt', input, limits: [] });
}

function oneByOne(journal: SqliteJournal): Write {
  return (stream, events) => async () => {
    for (const [seq, event] of events.entries())
      await journal.append(stream, seq, [event], at(seq));
  };
}

function together(journal: SqliteJournal): Write {
  return (stream, events) => async () => void (await journal.append(stream, 0, events, at(1)));
}

function inOneTurn(journal: SqliteJournal): Write {
  return (stream, events) => async () => {
    await Promise.all(events.map((event, seq) => journal.append(stream, seq, [event], at(seq))));
  };
}

class RawInserts {
  readonly oneByOne: Write;
  readonly together: Write;

  constructor(database: DatabaseSync) {
    // Every row needs a checksum. The yardstick computes none.
    const insert = database.prepare(
      'INSERT INTO events (stream, seq, type, v, at, payload, checksum) VALUES (?, ?, ?, ?, ?, ?, 0)',
    );
    this.oneByOne = (stream, events) => {
      const rows = buildRows(stream, events);
      return () => {
        for (const row of rows) insert.run(...row);
      };
    };
    this.together = (stream, events) => {
      const write = this.oneByOne(stream, events);
      return async () => {
        database.exec('BEGIN IMMEDIATE');
        await write();
        database.exec('COMMIT');
      };
    };
  }
}

type Row = [string, number, string, number, number, string];

function buildRows(stream: string, events: readonly NewEvent[]): Row[] {
  return events.map(({ type, payload }, index) => {
    return [stream, index + 1, type, EVENT_VERSION, index, JSON.stringify(payload)];
  });
}
