/**
 * How the output of an agent is stored on the disk: as parts, each a file whose name contains its first byte and the
 * number of line breaks before it. So the files alone are enough, even after we were killed during a write, and
 * missing bytes show as a gap.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, parseJson } from '../../base/json.ts';

export type OutputPart = {
  readonly path: string;
  /** The position of its first byte in the whole output. */
  readonly start: number;
  /** Line breaks before it. */
  readonly linesBefore: number;
};

export type OutputIndex = {
  /** All bytes that the agent printed. */
  readonly bytes: number;
  /** Bytes that are no longer, or were never, on the disk. */
  readonly droppedBytes: number;
  /** Line breaks seen. */
  readonly lines: number;
  readonly parts: readonly { readonly start: number; readonly bytes: number }[];
  /** Whether the writer has closed the output. */
  readonly closed: boolean;
};

export const NO_OUTPUT: OutputIndex = {
  bytes: 0,
  droppedBytes: 0,
  lines: 0,
  parts: [],
  closed: false,
};

export type OutputLimits = {
  readonly headBytesMax: number;
  readonly partBytesMax: number;
  /** How many parts the tail has, including the current one. */
  readonly tailPartsMax: number;
};

const TAIL_PARTS = 12;

/** Two fifths for the beginning, three fifths for the end. */
export function outputLimits(bytesMax: number): OutputLimits {
  const headBytesMax = Math.floor(bytesMax * 0.4);
  // One part more than is kept: the oldest is removed only after the newest has its first bytes.
  const partBytesMax = Math.max(1, Math.floor((bytesMax - headBytesMax) / (TAIL_PARTS + 1)));
  return { headBytesMax, partBytesMax, tailPartsMax: TAIL_PARTS };
}

const OUTPUT_NAME = /^[a-z0-9][a-z0-9-]*$/;

export function checkOutputName(name: string): void {
  if (!OUTPUT_NAME.test(name)) throw new TypeError(`not a valid output name: ${name}`);
}

export function partPath(dir: string, name: string, start: number, linesBefore: number): string {
  return join(dir, `${name}.${start}.${linesBefore}.part`);
}

/** Written when the output is complete. While it is missing or partial, the parts are counted. */
export function indexPath(dir: string, name: string): string {
  return join(dir, `${name}.index.json`);
}

/** Sorted. Empty if there is no such output, or no such folder. */
export async function listParts(dir: string, name: string): Promise<readonly OutputPart[]> {
  checkOutputName(name);
  const part = new RegExp(`^${name}\\.(\\d+)\\.(\\d+)\\.part$`);
  const files = await readdir(dir).catch(ifMissing([]));
  return files
    .flatMap((file): OutputPart[] => {
      const [, start, linesBefore] = part.exec(file) ?? [];
      if (start === undefined) return [];
      return [{ path: join(dir, file), start: Number(start), linesBefore: Number(linesBefore) }];
    })
    .toSorted((a, b) => a.start - b.start);
}

/** The index of an output: as stored if it was closed, otherwise computed from the parts. */
export async function readOutputIndex(dir: string, name: string): Promise<OutputIndex> {
  return (await readClosedIndex(dir, name)) ?? (await countParts(await listParts(dir, name)));
}

/** The index of a complete output. Undefined while it is not complete. */
export async function readClosedIndex(dir: string, name: string): Promise<OutputIndex | undefined> {
  const index = parseJson(await readFile(indexPath(dir, name), 'utf8').catch(ifMissing('')));
  return isRecord(index) && index['closed'] === true ? (index as OutputIndex) : undefined;
}

async function countParts(parts: readonly OutputPart[]): Promise<OutputIndex> {
  const sizes = await Promise.all(
    parts.map(async ({ path, start }) => ({
      start,
      bytes: (await stat(path).catch(ifMissing({ size: 0 }))).size,
    })),
  );
  const [last, lastSize] = [parts.at(-1), sizes.at(-1)];
  if (last === undefined || lastSize === undefined) return NO_OUTPUT;
  const lastBytes = await readFile(last.path).catch(ifMissing(Buffer.of()));
  const bytes = lastSize.start + lastSize.bytes;
  return {
    bytes,
    droppedBytes: bytes - sizes.reduce((sum, part) => sum + part.bytes, 0),
    lines: last.linesBefore + countLines(lastBytes),
    parts: sizes,
    closed: false,
  };
}

export function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}

/** Parts are dropped while others read them, so a missing part is not an error. */
export function ifMissing<Fallback>(fallback: Fallback): (error: unknown) => Fallback {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return fallback;
    throw error;
  };
}
