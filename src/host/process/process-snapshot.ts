import type { ProcessRow } from './process-table.ts';
import { processTable } from './process-table.ts';

/** Who was alive at one moment, and under which tags. */
export type ProcessSnapshot = {
  readonly rows: ReadonlyMap<number, ProcessRow>;
  readonly tags: ReadonlyMap<number, string>;
};

let asked: Promise<ProcessSnapshot> | undefined;
let askedSince = Infinity;
let looking: Promise<unknown> = Promise.resolve();

/**
 * A look at the table that begins after this call; tags are read of those that started at `since`
 * or later. Looks are taken one after another, and all who ask while one is being taken share the
 * next: when two hundred groups end at once, the table is read twice and not two hundred times.
 */
export function takeSnapshot(since = 0): Promise<ProcessSnapshot> {
  askedSince = Math.min(askedSince, since);
  asked ??= looking.then(async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    const from = askedSince;
    asked = undefined;
    askedSince = Infinity;
    return look(from);
  });
  looking = asked;
  return asked;
}

async function look(since: number): Promise<ProcessSnapshot> {
  const rows = await processTable.rows();
  return {
    rows: new Map(rows.map((row) => [row.pid, row])),
    tags: await processTable.tags(rows.filter(({ startTime }) => startTime >= since)),
  };
}
