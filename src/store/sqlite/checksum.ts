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

/** Defines the checksums as SQL functions, for the migration that adds them to the rows of an older file. */
export function defineChecksums(database: DatabaseSync): void {
  const options = { deterministic: true, directOnly: true };
  database.function('event_checksum', options, (id, stream, seq, type, v, at, payload) =>
    checksumOfEvent({ id, stream, seq, type, v, at, payload } as EventCells),
  );
  database.function(
    'run_checksum',
    options,
    (submission, id, project, submittedAt, endedAt, view) =>
      checksumOfRun({ submission, id, project, submittedAt, endedAt, view } as RunCells),
  );
}
