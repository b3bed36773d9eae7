/**
 * Messages between an owner and the process of a gateway: a length, a kind, then the bytes. The reader
 * is told how long a frame may be before it holds any of it, because the other side is less trusted.
 */

/** JSON for both sides to read; bytes of a recording, which the owner only writes to a file. */
export type FrameKind = 'json' | 'bytes';

export type ChannelFrame = { readonly kind: FrameKind; readonly bytes: Buffer };

const HEADER_BYTES = 5;
const CODES: Readonly<Record<FrameKind, number>> = { json: 1, bytes: 2 };

export function encodeFrame(kind: FrameKind, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  frame.writeUInt32BE(payload.length, 0);
  frame.writeUInt8(CODES[kind], 4);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

export function encodeMessage(message: unknown): Buffer {
  return encodeFrame('json', Buffer.from(JSON.stringify(message)));
}

export class InvalidFrame extends Error {}

/** Frames out of a byte stream that is cut anywhere. */
export class FrameReader {
  readonly #bytesMax: number;
  #chunks: Uint8Array[] = [];
  #held = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Every frame that these bytes complete. Throws `BadFrame` at a kind or a length that is not allowed. */
  push(chunk: Uint8Array): readonly ChannelFrame[] {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    const frames: ChannelFrame[] = [];
    for (;;) {
      if (this.#held < HEADER_BYTES) return frames;
      const head = this.#peek(HEADER_BYTES);
      const length = head.readUInt32BE(0);
      const kind = kindOf(head.readUInt8(4));
      if (kind === undefined) throw new InvalidFrame('a frame of an unknown kind');
      if (length > this.#bytesMax)
        throw new InvalidFrame(`a frame of ${length} bytes, and ${this.#bytesMax} are allowed`);
      if (this.#held < HEADER_BYTES + length) return frames;
      const whole = this.#take(HEADER_BYTES + length);
      frames.push({ kind, bytes: whole.subarray(HEADER_BYTES) });
    }
  }

  #peek(count: number): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= count)
      return Buffer.from(first.buffer, first.byteOffset, count);
    return this.#join().subarray(0, count);
  }

  #take(count: number): Buffer {
    const all = this.#join();
    const rest = all.subarray(count);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#held = rest.length;
    return all.subarray(0, count);
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    const all =
      this.#chunks.length === 1 && first !== undefined
        ? Buffer.from(first.buffer, first.byteOffset, first.length)
        : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}

function kindOf(code: number): FrameKind | undefined {
  if (code === CODES.json) return 'json';
  return code === CODES.bytes ? 'bytes' : undefined;
}
