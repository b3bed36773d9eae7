import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';

/** The content of a compressed file. Undefined: it would be longer than `bytesMax`. Throws if it is damaged. */
export function gunzip(bytes: Uint8Array, bytesMax: number): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error; // the caller reports that it is damaged
  }
}

/** As package managers write it: `sha512-` and the hash in base64. */
export function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}
