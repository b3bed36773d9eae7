/**
 * Tells a process that does not write about the commits of the one that does. PostgreSQL says so with NOTIFY; a poll
 * behind it finds what was committed while the connection was lost.
 */
import { CommitListeners } from '../commit-listeners.ts';
import type { DatabaseAddress } from './database-address.ts';
import { LostConnection } from './postgres-errors.ts';
import type { Waits } from './postgres-session.ts';
import { PostgresSession } from './postgres-session.ts';

const POLL_MS = 2000;

export function commitChannel(schema: string): string {
  return `supervisor_commits_${schema}`;
}

export class CommitWatch {
  readonly #listeners = new CommitListeners();
  readonly #session: PostgresSession;
  readonly #schema: string;
  readonly #pollMs: number;
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(address: DatabaseAddress, waits: Waits, pollMs = POLL_MS) {
    this.#schema = address.schema;
    this.#pollMs = pollMs;
    this.#session = new PostgresSession({
      ...{ address, waits, name: 'supervisor follows' },
      prepare: async (client) =>
        void (await client.query(`LISTEN ${commitChannel(address.schema)}`)),
      onNotice: (payload) => this.#heard(Number(payload)),
    });
  }

  /** The listener hears of commits from now on. */
  add(listener: (lastId: number) => void): () => void {
    if (this.#timer === undefined) this.#poll();
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#session.close();
  }

  #heard(lastId: number): void {
    if (!(lastId > this.#lastId)) return;
    this.#lastId = lastId;
    this.#listeners.notifyAll(lastId);
  }

  /** The first poll makes the connection, and each later one makes it again if it was lost. */
  #poll(): void {
    this.#timer = globalThis.setTimeout(() => this.#poll(), this.#pollMs).unref();
    void this.#ask().catch(() => undefined); // the next poll tries again; a read says what is wrong
  }

  async #ask(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const rows = await this.#session.query<{ id: number }>(
        `SELECT coalesce(max(id), 0) AS id FROM ${this.#schema}.events`,
        [],
      );
      this.#heard(rows[0]?.id ?? 0);
    } catch (error) {
      if (!(error instanceof LostConnection)) throw error;
    }
  }
}
