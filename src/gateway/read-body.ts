import type { IncomingMessage } from 'node:http';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { promisify } from 'node:util';
import type { Instant } from '../base/clock.ts';

const UNPACK = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

/** The whole body as it was sent, or undefined as soon as it is larger than `bytesMax`. */
export async function readBody(
  message: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | undefined> {
  if (Number(message.headers['content-length'] ?? 0) > bytesMax) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Breaking off must not tear the connection down: there is an answer to be given on it.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk as Buffer);
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

/** The text of a body that may be packed; undefined when it is not what it says, or too large unpacked. */
export async function textOf(
  body: Buffer,
  encoding: string | undefined,
  bytesMax: number,
): Promise<string | undefined> {
  if (encoding === undefined || encoding === '' || encoding === 'identity')
    return body.toString('utf8');
  if (!isPacking(encoding)) return undefined;
  try {
    const unpacked = await UNPACK[encoding](body, { maxOutputLength: bytesMax });
    return unpacked.toString('utf8');
  } catch {
    return undefined; // whoever sent it packed it badly, or packed too much into it
  }
}

function isPacking(encoding: string): encoding is keyof typeof UNPACK {
  return Object.hasOwn(UNPACK, encoding);
}

export type Beginning = {
  readonly bytes: Buffer;
  /** False when there is more to read. */
  readonly whole: boolean;
  /** When the first of them came, where that is not now. */
  readonly firstByteAt?: Instant;
};

/** The first bytes of an answer, so that it can be understood before it is passed on. Never rejects. */
export async function readBeginning(
  message: IncomingMessage,
  bytesMax: number,
): Promise<Beginning> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let whole = true;
  try {
    for await (const chunk of message.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      whole = bytes < bytesMax;
      if (!whole) break;
    }
  } catch {
    whole = false; // it broke off: whoever reads on will find out
  }
  return { bytes: Buffer.concat(chunks), whole };
}
