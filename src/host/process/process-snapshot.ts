import type { ProcessRow } from './process-table.ts';
import { processTable } from './process-table.ts';

/** The living processes at one moment, and their tags. */
export type ProcessSnapshot = {
  readonly rows: ReadonlyMap<number, ProcessRow>;
  readonly tags: ReadonlyMap<number, string>;
};

let pending: Promise<ProcessSnapshot> | undefined;
let pendingSince = Infinity;
let current: Promise<unknown> = Promise.resolve();

/**
 * Reads the process table after this call. Tags are read of processes that started at `since` or later. Reads run one
 * after another, and all requests during a read share the next one: if two hundred groups end at once, the table is
 * read twice and not two hundred times.
 */
export function takeSnapshot(since = 0): Promise<ProcessSnapshot> {
  pendingSince = Math.min(pendingSince, since);
  pending ??= current.then(async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const from = pendingSince;
    pending = undefined;
    pendingSince = Infinity;
    return readTable(from);
  });
  current = pending;
  return pending;
}

async function readTable(since: number): Promise<ProcessSnapshot> {
  const rows = await processTable.rows();
  return {
    rows: new Map(rows.map((row) => [row.pid, row])),
    tags: await processTable.tags(rows.filter(({ startTime }) => startTime >= since)),
  };
}
