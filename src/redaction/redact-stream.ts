import type { Redactor } from './redactor.ts';
import { mayHaveShape, redactShapes } from './secret-shapes.ts';

type Sink = (bytes: Uint8Array) => Promise<void> | undefined;

/** A word that continues in the next chunk may be a secret. A longer word is not. */
const WORD_BYTES_MAX = 1024;
/** A private key has several lines, and is recognized only as a whole. */
const KEY_BYTES_MAX = 16_384;
const KEY_BEGINS = '-----BEGIN';
const KEY_ENDS = /-----END[^\n]*-----/;

/**
 * Redacts output on its way to storage: known secrets, and text that looks like one, however it was cut into chunks.
 * Text without any sign of a secret is forwarded at once, byte for byte.
 */
export class RedactedStream {
  readonly #known: ReturnType<Redactor['stream']>;
  readonly #sink: Sink;
  readonly #onRedacted: (bytes: Uint8Array) => void;
  /** The beginning of a word or of a key that may continue. */
  #held: Buffer = Buffer.alloc(0);
  #pending: Promise<void> | undefined;

  /** `onRedacted` gets the bytes first, before the slower search for patterns. */
  constructor(redactor: Redactor, sink: Sink, onRedacted: (bytes: Uint8Array) => void = () => {}) {
    this.#known = redactor.stream();
    this.#sink = sink;
    this.#onRedacted = onRedacted;
  }

  /** Returns a promise if the caller should wait. */
  push(chunk: Uint8Array): Promise<void> | undefined {
    return this.#take(this.#known.push(chunk), { isEnd: false });
  }

  /** Resolves when everything has been forwarded. */
  async end(): Promise<void> {
    await this.#take(this.#known.end(), { isEnd: true });
    await this.#pending;
  }

  #take(more: Uint8Array, { isEnd }: { readonly isEnd: boolean }): Promise<void> | undefined {
    if (more.length > 0) this.#onRedacted(more);
    const bytes = Buffer.concat([this.#held, more]);
    const text = bytes.toString('latin1'); // one character per byte, so that positions are the same
    const safe = isEnd ? bytes.length : safeLength(text);
    this.#held = bytes.subarray(safe);
    return safe === 0 ? this.#pending : this.#forward(bytes.subarray(0, safe), text.slice(0, safe));
  }

  #forward(bytes: Buffer, text: string): Promise<void> | undefined {
    const isPlain = !mayHaveShape(text);
    if (isPlain && this.#pending === undefined) return this.#sink(bytes);
    const write = this.#after(
      this.#pending,
      isPlain ? Promise.resolve(bytes) : redactPatterns(text),
    );
    const tracked: Promise<void> = write.finally(() => {
      if (this.#pending === tracked) this.#pending = undefined;
    });
    this.#pending = tracked;
    return tracked;
  }

  async #after(before: Promise<void> | undefined, bytes: Promise<Uint8Array>): Promise<void> {
    await before;
    await this.#sink(await bytes);
  }
}

async function redactPatterns(text: string): Promise<Uint8Array> {
  return Buffer.from(await redactShapes(text), 'latin1');
}

/** The length of the text that no later chunk can turn into a part of a secret. */
function safeLength(text: string): number {
  const word = /\S*$/.exec(text.slice(-WORD_BYTES_MAX - 1))?.[0].length ?? 0;
  const sure = word > WORD_BYTES_MAX ? text.length : text.length - word;
  const key = text.lastIndexOf(KEY_BEGINS);
  if (key < 0 || text.length - key >= KEY_BYTES_MAX) return sure;
  // The last word belongs to the key. Without it, the rest would not be recognized as a key.
  const end = KEY_ENDS.exec(text.slice(key));
  const isWhole = end !== null && key + end.index + end[0].length <= sure;
  return isWhole ? sure : Math.min(key, sure);
}
