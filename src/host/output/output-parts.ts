/**
 * How an agent's output lies on the disk: as parts, each a file whose name says at which byte and
 * after how many line ends of the whole output it begins. So the files alone tell everything, also
 * after we were killed in the middle of a write, and bytes that are missing show as a gap.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, parseJson } from '../../base/json.ts';

export type OutputPart = {
  readonly path: string;
  /** The place of its first byte in the whole output. */
  readonly start: number;
  /** Line ends in all that came before it. */
  readonly linesBefore: number;
};

export type OutputIndex = {
  /** All that the agent printed. */
  readonly bytes: number;
  /** What of it is no longer, or was never, on the disk. */
  readonly droppedBytes: number;
  /** Line ends seen. */
  readonly lines: number;
  readonly parts: readonly { readonly start: number; readonly bytes: number }[];
  /** Whether the writer has said that no more will come. */
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
  /** How many parts the tail has, with the one being written. */
  readonly tailPartsMax: number;
};

const TAIL_PARTS = 12;

/** Two fifths for how it began, three fifths for how it ended. */
export function outputLimits(bytesMax: number): OutputLimits {
  const headBytesMax = Math.floor(bytesMax * 0.4);
  // One part more than is kept: the oldest goes only after the newest has taken its first bytes.
  const partBytesMax = Math.max(1, Math.floor((bytesMax - headBytesMax) / (TAIL_PARTS + 1)));
  return { headBytesMax, partBytesMax, tailPartsMax: TAIL_PARTS };
}

const OUTPUT_NAME = /^[a-z0-9][a-z0-9-]*$/;

export function checkOutputName(name: string): void {
  if (!OUTPUT_NAME.test(name)) throw new TypeError(`not a name for an output: ${name}`);
}

export function partPath(dir: string, name: string, start: number, linesBefore: number): string {
  return join(dir, `${name}.${start}.${linesBefore}.part`);
}

/** Written when the output is complete; as long as it is missing or torn, the parts are counted. */
export function indexPath(dir: string, name: string): string {
  return join(dir, `${name}.index.json`);
}

/** In order. None when there is no such output, or no such folder. */
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

/** What is known of an output: from its index if it was closed, else from the parts themselves. */
export async function readOutputIndex(dir: string, name: string): Promise<OutputIndex> {
  return (await readClosedIndex(dir, name)) ?? (await countParts(await listParts(dir, name)));
}

/** The index of an output that is complete; undefined while it is not. */
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

/** Parts are dropped while others read: one that is gone is an answer. */
export function ifMissing<Fallback>(fallback: Fallback): (error: unknown) => Fallback {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return fallback;
    throw error;
  };
}
