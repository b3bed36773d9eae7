import { Serial } from '../../base/serial.ts';
import type { ProcessRow, ProcessTable } from './process-table.ts';
import { processTable } from './process-table.ts';

/** The living processes at one moment, and their tags. */
export type ProcessSnapshot = {
  readonly rows: ReadonlyMap<number, ProcessRow>;
  readonly tags: ReadonlyMap<number, string>;
};

/** Reads a process table, one read after another. All requests during a read share the next one. */
export class SnapshotReader {
  readonly #table: Pick<ProcessTable, 'rows' | 'tags'>;
  readonly #reads = new Serial();
  #pending: Promise<ProcessSnapshot> | undefined;
  #pendingSince = Infinity;

  constructor(table: Pick<ProcessTable, 'rows' | 'tags'>) {
    this.#table = table;
  }

  take(since: number): Promise<ProcessSnapshot> {
    this.#pendingSince = Math.min(this.#pendingSince, since);
    this.#pending ??= this.#reads.run(async () => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const from = this.#pendingSince;
      this.#pending = undefined;
      this.#pendingSince = Infinity;
      return this.#read(from);
    });
    return this.#pending;
  }

  async #read(since: number): Promise<ProcessSnapshot> {
    const rows = await this.#table.rows();
    return {
      rows: new Map(rows.map((row) => [row.pid, row])),
      tags: await this.#table.tags(rows.filter(({ startTime }) => startTime >= since)),
    };
  }
}

const reader = new SnapshotReader(processTable);

/**
 * Reads the process table after this call. Tags are read of processes that started at `since` or later. If two hundred
 * groups end at once, the table is read twice and not two hundred times.
 */
export function takeSnapshot(since = 0): Promise<ProcessSnapshot> {
  return reader.take(since);
}
