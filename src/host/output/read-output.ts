/** Reads the output of an `OutputFile`, complete or still being written, by this or another process. */
import { plural } from '../../base/text.ts';
import type { FileHandle } from 'node:fs/promises';
import { open, readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { openWriter } from './output-file.ts';
import { listParts, ifMissing, readClosedIndex } from './output-parts.ts';

/** A piece of an output, or a note that a piece is missing. `at` is its position in the whole output. */
export type StoredChunk =
  | { readonly kind: 'bytes'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'skipped'; readonly at: number; readonly byteCount: number };

export type FollowOutputOptions = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The position to start at. Default: the first byte. */
  readonly from?: number;
};

const CHUNK_BYTES = 64 * 1024;
/** How often an output is polled if its writer is in another process. */
const POLL_MS = 250;

/** One line in place of the missing bytes. */
export function omittedBytes(byteCount: number): string {
  return `[${plural(byteCount, 'byte')} left out]`;
}

/** Everything that is stored, as text, with one line in place of each gap. */
export async function readOutput(dir: string, name: string): Promise<string> {
  // A part that is dropped between listing and reading is one more gap.
  const parts = await Promise.all(
    (await listParts(dir, name)).map(async ({ path, start }) => ({
      start,
      bytes: await readFile(path).catch(ifMissing(Buffer.of())),
    })),
  );
  const index = await readClosedIndex(dir, name);
  const runs: Buffer[] = [];
  let end = 0;
  for (const { start, bytes } of parts.filter((part) => part.bytes.length > 0)) {
    if (start > end) runs.push(gapLine(runs.at(-1), start - end));
    runs.push(bytes);
    end = start + bytes.length;
  }
  if (index !== undefined && index.bytes > end) runs.push(gapLine(runs.at(-1), index.bytes - end));
  return Buffer.concat(runs).toString('utf8');
}

function gapLine(before: Buffer | undefined, byteCount: number): Buffer {
  const newLine = before === undefined || before.at(-1) === 0x0a ? '' : '\n';
  return Buffer.from(`${newLine}${omittedBytes(byteCount)}\n`);
}

/**
 * Yields the output from its first stored byte on, and then as it grows: every stored byte once, in order, and a note
 * for what was dropped before it could be read. Ends when the output is closed or `signal` aborts. A slow reader
 * holds one chunk in memory, and the writer does not wait for it.
 */
export async function* followOutput(
  dir: string,
  name: string,
  { clock, signal, from = 0 }: FollowOutputOptions,
): AsyncGenerator<StoredChunk, void, undefined> {
  let at = from;
  while (!signal.aborted) {
    // Requested before reading, so that a change during the read is not missed.
    const changed = openWriter(dir, name)?.changed;
    const index = await readClosedIndex(dir, name);
    for await (const chunk of readFrom(dir, name, at, signal)) {
      yield chunk;
      at = chunkEnd(chunk);
    }
    if (index !== undefined) {
      if (index.bytes > at) yield { kind: 'skipped', at, byteCount: index.bytes - at };
      return;
    }
    await (changed === undefined ? clock.sleep(POLL_MS, signal) : orAborted(changed, signal));
  }
}

function chunkEnd(chunk: StoredChunk): number {
  return chunk.at + (chunk.kind === 'bytes' ? chunk.bytes.length : chunk.byteCount);
}

/** Everything that exists now from this position on. */
async function* readFrom(
  dir: string,
  name: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<StoredChunk, void, undefined> {
  let at = from;
  // A part that is followed by another is complete, so listing first and reading then misses nothing.
  const parts = await listParts(dir, name);
  for (const [index, { path, start }] of parts.entries()) {
    if ((parts[index + 1]?.start ?? Infinity) <= at) continue;
    const file = await open(path, 'r').catch(ifMissing(undefined));
    if (file === undefined) continue; // dropped: the next part shows the gap
    try {
      for await (const bytes of readFile64(file, Math.max(0, at - start))) {
        if (signal.aborted) return;
        if (start > at) yield { kind: 'skipped', at, byteCount: start - at };
        at = Math.max(at, start);
        yield { kind: 'bytes', at, bytes };
        at += bytes.length;
      }
    } finally {
      await file.close();
    }
  }
}

async function* readFile64(
  file: FileHandle,
  from: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let position = from; ;) {
    const { bytesRead, buffer } = await file.read(
      Buffer.alloc(CHUNK_BYTES),
      0,
      CHUNK_BYTES,
      position,
    );
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
    void promise.then(end);
  });
}
