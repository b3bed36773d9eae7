import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

const UNPACK = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
} as const;

/** The whole body, unpacked, or undefined if it is larger than `bytesMax` either way. */
export async function readModelBody(
  request: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    // Reads to the end and drops the bytes: an answer sent too early would be lost in a reset.
    if (size <= bytesMax) chunks.push(bytes);
  }
  if (size > bytesMax) return undefined;
  const packed = Buffer.concat(chunks);
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (!isPacking(encoding)) return packed;
  try {
    return UNPACK[encoding](packed, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    return packed; // wrongly labelled: the JSON reader will refuse it
  }
}

function isPacking(encoding: string): encoding is keyof typeof UNPACK {
  return encoding in UNPACK;
}
