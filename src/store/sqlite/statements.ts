import type { StoredEvent } from '../../protocol/event.ts';
import { checksumOfEvent } from '../checksum.ts';
import type { Database, Statement } from './database.ts';
import { EVENT_COLUMNS, findRequestKey } from '../event-row.ts';

/** The journal's own statements, each compiled once. */
export class Statements {
  readonly begin: Statement;
  readonly commit: Statement;
  readonly rollback: Statement;
  readonly readStream: Statement;
  readonly readAll: Statement;
  readonly readBack: Statement;
  readonly findRequest: Statement;
  readonly saveSnapshot: Statement;
  readonly loadSnapshot: Statement;
  readonly #insert: Statement;
  readonly #lastSeq: Statement;
  readonly #lastId: Statement;

  constructor(database: Database) {
    const events = `SELECT ${EVENT_COLUMNS} FROM events`;
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
    this.rollback = database.prepare('ROLLBACK');
    this.#insert = database.prepare(
      `INSERT INTO events (id, stream, seq, type, v, at, payload, request, checksum)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.readStream = database.prepare(
      `${events} WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?`,
    );
    this.readAll = database.prepare(`${events} WHERE id > ? ORDER BY id LIMIT ?`);
    this.readBack = database.prepare(`${events} WHERE id < ? ORDER BY id DESC LIMIT ?`);
    this.findRequest = database.prepare(`${events} WHERE request = ? ORDER BY id LIMIT 1`);
    this.saveSnapshot = database.prepare(`
      INSERT INTO snapshots (stream, maker, seq, state, checksum) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (stream, maker) DO UPDATE SET
        seq = excluded.seq, state = excluded.state, checksum = excluded.checksum
      WHERE excluded.seq >= snapshots.seq`);
    this.loadSnapshot = database.prepare(
      'SELECT stream, maker, seq, state, checksum FROM snapshots WHERE stream = ? AND maker = ?',
    );
    this.#lastSeq = database.prepare('SELECT max(seq) AS last FROM events WHERE stream = ?');
    this.#lastId = database.prepare('SELECT max(id) AS last FROM events');
  }

  /** `payload` is the event's payload as JSON. */
  insert(event: StoredEvent, payload: string): void {
    const { id, stream, seq, type, v, at } = event;
    const checksum = checksumOfEvent({ id, stream, seq, type, v, at, payload });
    this.#insert.run(id, stream, seq, type, v, at, payload, findRequestKey(event), checksum);
  }

  lastSeq(stream: string): number {
    return Number(this.#lastSeq.get(stream)?.['last'] ?? 0);
  }

  lastId(): number {
    return Number(this.#lastId.get()?.['last'] ?? 0);
  }
}
