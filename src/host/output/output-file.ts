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

/** If more than this is not yet on the disk, `write` asks its caller to wait. */
const PENDING_BYTES_MAX = 256 * 1024;
const BYTES_MAX = 10_000_000;

type OpenPart = { readonly path: string; readonly start: number; bytes: number; file: FileHandle };

/** The writers of this process, so that followers of an output need not poll. */
const writers = new Map<string, OutputFile>();

/** The open writer of an output, if it is in this process. */
export function openWriter(dir: string, name: string): OutputFile | undefined {
  return writers.get(writerKey(dir, name));
}

/**
 * Stores the output of an agent in bounded files: its beginning and its end. The middle is dropped and counted. Bytes
 * are written to the system at once, so they survive our death, though not that of the machine. A failing disk loses
 * output, never the agent: it shows as dropped bytes and in `failure`.
 */
export class OutputFile {
  readonly #dir: string;
  readonly #name: string;
  readonly #limits: OutputLimits;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Bytes and line breaks that were processed, stored or not. */
  #bytes: number;
  #lines: number;
  #part: OpenPart | undefined;
  /** The parts of the tail, oldest first, including the current one. */
  #tail: string[];
  #flushing: Promise<void> | undefined;
  #changed = Promise.withResolvers<void>();
  #closed = false;
  #failure: string | undefined;
  /** The final index, once it is closed. */
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

  /** Starts an output, or continues one that an earlier process left. */
  static async open(dir: string, name: string, bytesMax = BYTES_MAX): Promise<OutputFile> {
    checkOutputName(name);
    if (openWriter(dir, name) !== undefined)
      throw new Error(`the output ${name} in ${dir} already has a writer`);
    const { index, tail } = await readEarlierOutput(dir, name);
    const output = new OutputFile(dir, name, bytesMax, index, tail);
    writers.set(writerKey(dir, name), output);
    return output;
  }

  /** Why the disk did not accept some bytes, if so. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Resolves when there is more to read, or nothing more will come. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Accepts a chunk, which is not copied. Returns a promise if the caller should wait. */
  write(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#closed) throw new Error(`the output ${this.#name} is closed`);
    if (chunk.length === 0) return undefined;
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    this.#flushing ??= this.#flush();
    return this.#pendingBytes > PENDING_BYTES_MAX ? this.#flushing : undefined;
  }

  /** No more output will come. Resolves with the index once everything can be read. */
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
      // The parts are not synced to the disk either, and a lost index is rebuilt from them.
      const path = indexPath(this.#dir, this.#name);
      await writeFileAtomic(path, JSON.stringify(index), { durable: false });
    } catch (error) {
      this.#failure = describeError(error); // the parts contain almost the same information
    }
    this.#index = index;
    writers.delete(writerKey(this.#dir, this.#name));
    this.#notifyFollowers();
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
      this.#notifyFollowers();
    }
    this.#flushing = undefined;
  }

  /** Takes the next bytes, at most `bytesMax`. From here on they count as processed. */
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
    // Appends, so that it never overwrites other bytes: after an empty or failed part the same name may come again.
    const file = await open(path, 'a', 0o600);
    if (start > 0 && !this.#tail.includes(path)) this.#tail.push(path);
    return { path, start, bytes: 0, file };
  }

  async #endPart(): Promise<void> {
    const part = this.#part;
    this.#part = undefined;
    await part?.file.close();
  }

  /** After a failed write, the written bytes of the part stay, and the next bytes start a new part. */
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
      this.#failure = describeError(error); // the disk still fails; the next write reports it
    }
  }

  async #dropOldest(): Promise<void> {
    while (this.#tail.length > this.#limits.tailPartsMax) {
      const oldest = this.#tail.shift();
      if (oldest !== undefined) await unlink(oldest).catch(ifMissing(undefined));
    }
  }

  #notifyFollowers(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** What an earlier process left of an output. From now on the output is open again. Usually there is nothing. */
async function readEarlierOutput(
  dir: string,
  name: string,
): Promise<{ readonly index: OutputIndex; readonly tail: string[] }> {
  const files = await readdir(dir).catch(ifMissing([]));
  if (!files.some((file) => file.startsWith(`${name}.`))) return { index: NO_OUTPUT, tail: [] };
  const [index, parts] = [await readOutputIndex(dir, name), await listParts(dir, name)];
  await rm(indexPath(dir, name), { force: true });
  return { index, tail: parts.filter(({ start }) => start > 0).map(({ path }) => path) };
}

/** The system may write less than requested if a disk is almost full. */
async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  const { bytesWritten } = await file.writev([...chunks]);
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (bytesWritten < bytes) await file.appendFile(Buffer.concat(chunks).subarray(bytesWritten));
}

function writerKey(dir: string, name: string): string {
  return `${resolve(dir)}\0${name}`;
}
