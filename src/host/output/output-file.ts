import type { FileHandle } from 'node:fs/promises';
import { open, readdir, rm, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describeError } from '../../base/errors.ts';
import { writeFileAtomic } from '../files/atomic-files.ts';
import type { OutputIndex, OutputLimits } from './output-parts.ts';
import {
  NO_OUTPUT,
  checkOutputName,
  countLines,
  indexPath,
  listParts,
  ifMissing,
  outputLimits,
  partPath,
  readOutputIndex,
} from './output-parts.ts';

/** Beyond this much that is not yet on the disk, `write` asks its caller to wait. */
const PENDING_BYTES_MAX = 256 * 1024;
const BYTES_MAX = 10_000_000;

type OpenPart = { readonly path: string; readonly start: number; bytes: number; file: FileHandle };

/** The writers of this process, so that those who follow an output need not poll for it. */
const writers = new Map<string, OutputFile>();

/** The writer of an output if it is in this process and open. */
export function openWriter(dir: string, name: string): OutputFile | undefined {
  return writers.get(keyOf(dir, name));
}

/**
 * What an agent prints, kept in bounded files: how it began and how it ended; the middle is dropped
 * and counted. Bytes are handed to the system at once, so they survive our death, though not the
 * machine's. A disk that fails loses output, never the agent: it shows as dropped bytes and in `failure`.
 */
export class OutputFile {
  readonly #dir: string;
  readonly #name: string;
  readonly #limits: OutputLimits;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Bytes and line ends that have gone through, kept or not. */
  #bytes: number;
  #lines: number;
  #part: OpenPart | undefined;
  /** The parts of the tail, oldest first, with the one being written. */
  #tail: string[];
  #flushing: Promise<void> | undefined;
  #changed = Promise.withResolvers<void>();
  #closed = false;
  #failure: string | undefined;
  /** Of what there was, once it is closed. */
  #index: OutputIndex | undefined;

  private constructor(
    dir: string,
    name: string,
    bytesMax: number,
    index: OutputIndex,
    tail: string[],
  ) {
    this.#dir = dir;
    this.#name = name;
    this.#limits = outputLimits(bytesMax);
    this.#bytes = index.bytes;
    this.#lines = index.lines;
    this.#tail = tail;
  }

  /** Begins an output, or goes on with one that an earlier process left. */
  static async open(dir: string, name: string, bytesMax = BYTES_MAX): Promise<OutputFile> {
    checkOutputName(name);
    if (openWriter(dir, name) !== undefined) throw new Error(`two writers of ${name} in ${dir}`);
    const { index, tail } = await leftBehind(dir, name);
    const output = new OutputFile(dir, name, bytesMax, index, tail);
    writers.set(keyOf(dir, name), output);
    return output;
  }

  /** Why the disk did not take some of it, if so. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Resolves when there is more to read, or nothing more to come. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Takes a chunk, which is not copied. Returns a promise when the caller had better wait. */
  write(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#closed) throw new Error(`a write to ${this.#name} after its end`);
    if (chunk.length === 0) return undefined;
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    this.#flushing ??= this.#flush();
    return this.#pendingBytes > PENDING_BYTES_MAX ? this.#flushing : undefined;
  }

  /** No more will come. Resolves with what there was once all of it can be read, and the index with it. */
  async close(): Promise<OutputIndex> {
    this.#closed = true;
    await this.#flushing;
    await this.#endPart();
    if (this.#index !== undefined) return this.#index; // a second close
    const found = this.#bytes === 0 ? NO_OUTPUT : await readOutputIndex(this.#dir, this.#name);
    const lost = this.#bytes - found.bytes; // at the very end, where no later part shows the gap
    const index: OutputIndex = {
      ...found,
      bytes: this.#bytes,
      droppedBytes: found.droppedBytes + lost,
      lines: this.#lines,
      closed: true,
    };
    try {
      // The parts are not forced to the disk either, and an index that is lost is counted anew from them.
      const path = indexPath(this.#dir, this.#name);
      await writeFileAtomic(path, JSON.stringify(index), { durable: false });
    } catch (error) {
      this.#failure = describeError(error); // the parts tell almost as much
    }
    this.#index = index;
    writers.delete(keyOf(this.#dir, this.#name));
    this.#tell();
    return index;
  }

  async #flush(): Promise<void> {
    while (this.#pending.length > 0) {
      const start = this.#bytes;
      let taken: readonly Uint8Array[] = [];
      try {
        const part = (this.#part ??= await this.#openPart());
        taken = this.#take(this.#room(part));
        await writeAll(part.file, taken);
        part.bytes += this.#bytes - start;
        if (this.#room(part) === 0) await this.#endPart();
        await this.#dropOldest();
      } catch (error) {
        this.#failure = describeError(error);
        if (taken.length === 0) this.#take(PENDING_BYTES_MAX);
        await this.#abandonPart();
      }
      this.#tell();
    }
    this.#flushing = undefined;
  }

  /** The next bytes, at most `bytesMax`, which from here on count as gone through. */
  #take(bytesMax: number): readonly Uint8Array[] {
    const taken: Uint8Array[] = [];
    let room = bytesMax;
    while (room > 0) {
      const chunk = this.#pending.shift();
      if (chunk === undefined) break;
      const now = chunk.subarray(0, room);
      if (now.length < chunk.length) this.#pending.unshift(chunk.subarray(room));
      taken.push(now);
      room -= now.length;
      this.#bytes += now.length;
      this.#lines += countLines(now);
    }
    this.#pendingBytes -= bytesMax - room;
    return taken;
  }

  #room({ start, bytes }: OpenPart): number {
    const { headBytesMax, partBytesMax } = this.#limits;
    return (start === 0 ? Math.max(headBytesMax, 1) : partBytesMax) - bytes;
  }

  async #openPart(): Promise<OpenPart> {
    const start = this.#bytes;
    const path = partPath(this.#dir, this.#name, start, this.#lines);
    // Never over another's bytes: after an empty or failed part the same name may come again.
    const file = await open(path, 'a', 0o600);
    if (start > 0 && !this.#tail.includes(path)) this.#tail.push(path);
    return { path, start, bytes: 0, file };
  }

  async #endPart(): Promise<void> {
    const part = this.#part;
    this.#part = undefined;
    await part?.file.close();
  }

  /** After a failed write: what was written of the part stays, and the next bytes begin a new one. */
  async #abandonPart(): Promise<void> {
    const part = this.#part;
    this.#part = undefined;
    if (part === undefined) return;
    try {
      const { size } = await part.file.stat();
      await part.file.close();
      if (size > 0) return;
      this.#tail = this.#tail.filter((path) => path !== part.path);
      await rm(part.path, { force: true });
    } catch (error) {
      this.#failure = describeError(error); // a disk that fails on; the next write will tell
    }
  }

  async #dropOldest(): Promise<void> {
    while (this.#tail.length > this.#limits.tailPartsMax) {
      const oldest = this.#tail.shift();
      if (oldest !== undefined) await unlink(oldest).catch(ifMissing(undefined));
    }
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** What an earlier process left of an output, which is open again from now on. Mostly it is nothing. */
async function leftBehind(
  dir: string,
  name: string,
): Promise<{ readonly index: OutputIndex; readonly tail: string[] }> {
  const files = await readdir(dir).catch(ifMissing([]));
  if (!files.some((file) => file.startsWith(`${name}.`))) return { index: NO_OUTPUT, tail: [] };
  const [index, parts] = [await readOutputIndex(dir, name), await listParts(dir, name)];
  await rm(indexPath(dir, name), { force: true });
  return { index, tail: parts.filter(({ start }) => start > 0).map(({ path }) => path) };
}

/** The system may take less than it is given, when a disk is almost full. */
async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  const { bytesWritten } = await file.writev([...chunks]);
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (bytesWritten < bytes) await file.appendFile(Buffer.concat(chunks).subarray(bytesWritten));
}

function keyOf(dir: string, name: string): string {
  return `${resolve(dir)}\0${name}`;
}
