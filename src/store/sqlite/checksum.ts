/**
 * A checksum for each row. SQLite detects damage to the structure of a file, but not to the bytes of a value. Without
 * a checksum, a flipped bit in a fact would go unnoticed.
 */
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { StoredEvent } from '../../protocol/event.ts';

export type EventCells = Omit<StoredEvent, 'type' | 'payload'> & {
  readonly type: string;
  readonly payload: string;
};

export type RunCells = {
  readonly submission: number;
  readonly id: string;
  readonly project: string;
  readonly submittedAt: number;
  readonly endedAt: number | null;
  readonly view: string;
};

export type SnapshotCells = {
  readonly stream: string;
  readonly maker: string;
  readonly seq: number;
  readonly state: string;
};

export function checksumOfEvent({ id, stream, seq, type, v, at, payload }: EventCells): number {
  return crc32(`${id} ${stream} ${seq} ${type} ${v} ${at} ${payload}`);
}

export function checksumOfRun(row: RunCells): number {
  const { submission, id, project, submittedAt, endedAt, view } = row;
  return crc32(`${submission} ${id} ${project} ${submittedAt} ${endedAt} ${view}`);
}

export function checksumOfSnapshot({ stream, maker, seq, state }: SnapshotCells): number {
  return crc32(`${stream} ${maker} ${seq} ${state}`);
}

/** Defines the checksum of a row of `runs` as an SQL function. The query for damaged rows uses it. */
export function defineRunChecksum(database: DatabaseSync): void {
  database.function(
    'run_checksum',
    { deterministic: true, directOnly: true },
    (submission, id, project, submittedAt, endedAt, view) =>
      checksumOfRun({ submission, id, project, submittedAt, endedAt, view } as RunCells),
  );
}
