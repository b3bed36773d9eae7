/**
 * Frames the messages between an owner and the process of a gateway: a length, a kind, then the bytes. The reader
 * checks the length before it buffers the frame, because the other side is less trusted.
 */

/** `json`: a message that both sides read. `bytes`: part of a recording, which the owner only writes to a file. */
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

class InvalidFrame extends Error {}

/** Reads frames from a byte stream that is cut anywhere. */
export class FrameReader {
  readonly #bytesMax: number;
  #chunks: Uint8Array[] = [];
  #bufferedBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Every frame that these bytes complete. Throws `InvalidFrame` for an unknown kind or an excessive length. */
  push(chunk: Uint8Array): readonly ChannelFrame[] {
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    const frames: ChannelFrame[] = [];
    for (;;) {
      if (this.#bufferedBytes < HEADER_BYTES) return frames;
      const head = this.#peek(HEADER_BYTES);
      const length = head.readUInt32BE(0);
      const kind = frameKind(head.readUInt8(4));
      if (kind === undefined) throw new InvalidFrame('the frame has an unknown kind');
      if (length > this.#bytesMax)
        throw new InvalidFrame(
          `the frame has ${length} bytes, and at most ${this.#bytesMax} are allowed`,
        );
      if (this.#bufferedBytes < HEADER_BYTES + length) return frames;
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
    this.#bufferedBytes = rest.length;
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

function frameKind(code: number): FrameKind | undefined {
  if (code === CODES.json) return 'json';
  return code === CODES.bytes ? 'bytes' : undefined;
}
