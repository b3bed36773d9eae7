import type { IncomingMessage } from 'node:http';
import { brotliDecompress, constants, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { promisify } from 'node:util';
import type { Instant } from '../../base/clock.ts';

const UNPACK = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

/** The whole body as it was sent. Undefined as soon as it is larger than `bytesMax`. */
export async function readRequestBody(
  message: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | undefined> {
  if (Number(message.headers['content-length'] ?? 0) > bytesMax) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop must not destroy the connection: the refusal is sent on it.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk as Buffer);
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

/** Text compresses to a tenth. A body that compresses to a thousandth is a decompression bomb. */
const UNPACK_RATIO_MAX = 100;
const UNPACK_BYTES_MIN = 1_000_000;
/** A window of 16 MB, as in brotli. Otherwise zstd would accept up to 128 MB from the sender. */
const ZSTD_WINDOW = { [constants.ZSTD_d_windowLogMax]: 24 };

export type UnpackedBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unknown-encoding' | 'broken' | 'too-large' };

/** The text of a body that may be compressed. The size bound holds while it is being decompressed. */
export async function unpackBody(
  body: Buffer,
  encoding: string | undefined,
  bytesMax: number,
): Promise<UnpackedBody> {
  const coding = (encoding ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return { kind: 'text', text: body.toString('utf8') };
  if (!isPacking(coding)) return { kind: 'unknown-encoding' };
  const maxOutputLength = Math.min(
    bytesMax,
    Math.max(UNPACK_BYTES_MIN, UNPACK_RATIO_MAX * body.length),
  );
  try {
    const params = coding === 'zstd' ? { params: ZSTD_WINDOW } : {};
    const unpacked = await UNPACK[coding](body, { maxOutputLength, ...params });
    return { kind: 'text', text: unpacked.toString('utf8') };
  } catch (error) {
    const isTooLarge =
      error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return { kind: isTooLarge ? 'too-large' : 'broken' };
  }
}

/** The same for callers that do not need the reason why there is no text. */
export async function bodyText(
  body: Buffer,
  encoding: string | undefined,
  bytesMax: number,
): Promise<string | undefined> {
  const unpacked = await unpackBody(body, encoding, bytesMax);
  return unpacked.kind === 'text' ? unpacked.text : undefined;
}

function isPacking(encoding: string): encoding is keyof typeof UNPACK {
  return Object.hasOwn(UNPACK, encoding);
}

export type BodyStart = {
  readonly bytes: Buffer;
  /** False if there is more to read. */
  readonly whole: boolean;
  /** When the first bytes arrived, if that is not now. */
  readonly firstByteAt?: Instant;
};

/** The first bytes of an answer, so that it can be inspected before it is forwarded. Never rejects. */
export async function readBodyStart(
  message: IncomingMessage,
  bytesMax: number,
): Promise<BodyStart> {
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
    whole = false; // the answer broke off, and the caller that reads on will notice
  }
  return { bytes: Buffer.concat(chunks), whole };
}
