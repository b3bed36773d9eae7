/**
 * A checksum for each row. A database detects damage to the structure of its files, but not to the bytes of a value.
 * Without a checksum, a flipped bit in a fact would go unnoticed.
 */
import { crc32 } from 'node:zlib';
import type { StoredEvent } from '../protocol/event.ts';

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
