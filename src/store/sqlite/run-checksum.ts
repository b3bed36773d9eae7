import type { DatabaseSync } from 'node:sqlite';
import type { RunCells } from '../checksum.ts';
import { checksumOfRun } from '../checksum.ts';

/** Defines the checksum of a row of `runs` as an SQL function. The query for damaged rows uses it. */
export function defineRunChecksum(database: DatabaseSync): void {
  database.function(
    'run_checksum',
    { deterministic: true, directOnly: true },
    (submission, id, project, submittedAt, endedAt, view) =>
      checksumOfRun({ submission, id, project, submittedAt, endedAt, view } as RunCells),
  );
}
