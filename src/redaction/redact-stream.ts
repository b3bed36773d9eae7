import type { Redactor } from './redactor.ts';
import { mayHaveShape, redactShapes } from './secret-shapes.ts';

type Sink = (bytes: Uint8Array) => Promise<void> | undefined;

/** A word that goes on in the next chunk may be a secret; one that is longer than this is none. */
const WORD_BYTES_MAX = 1024;
/** A private key has several lines, and is known by all of them. */
const KEY_BYTES_MAX = 16_384;
const KEY_BEGINS = '-----BEGIN';
const KEY_ENDS = /-----END[^\n]*-----/;

/**
 * What is printed, on its way to where it is kept: without known secrets and without what looks like
 * one, however it was cut into chunks. What has no sign of a secret goes on at once, byte for byte.
 */
export class RedactedStream {
  readonly #known: ReturnType<Redactor['stream']>;
  readonly #sink: Sink;
  readonly #heard: (bytes: Uint8Array) => void;
  /** The beginning of a word or of a key, of which more may come. */
  #held: Buffer = Buffer.alloc(0);
  #going: Promise<void> | undefined;

  /** `heard` is told first, before the slower search for shapes. */
  constructor(redactor: Redactor, sink: Sink, heard: (bytes: Uint8Array) => void = () => {}) {
    this.#known = redactor.stream();
    this.#sink = sink;
    this.#heard = heard;
  }

  /** Returns a promise when the caller had better wait. */
  push(chunk: Uint8Array): Promise<void> | undefined {
    return this.#take(this.#known.push(chunk), { isEnd: false });
  }

  /** Resolves when all of it has been handed on. */
  async end(): Promise<void> {
    await this.#take(this.#known.end(), { isEnd: true });
    await this.#going;
  }

  #take(more: Uint8Array, { isEnd }: { readonly isEnd: boolean }): Promise<void> | undefined {
    if (more.length > 0) this.#heard(more);
    const bytes = Buffer.concat([this.#held, more]);
    const text = bytes.toString('latin1'); // one character a byte, so that places are the same
    const sure = isEnd ? bytes.length : sureUntil(text);
    this.#held = bytes.subarray(sure);
    return sure === 0 ? this.#going : this.#hand(bytes.subarray(0, sure), text.slice(0, sure));
  }

  #hand(bytes: Buffer, text: string): Promise<void> | undefined {
    const isPlain = !mayHaveShape(text);
    if (isPlain && this.#going === undefined) return this.#sink(bytes);
    const going = this.#after(this.#going, isPlain ? Promise.resolve(bytes) : withoutShapes(text));
    const tracked: Promise<void> = going.finally(() => {
      if (this.#going === tracked) this.#going = undefined;
    });
    this.#going = tracked;
    return tracked;
  }

  async #after(before: Promise<void> | undefined, bytes: Promise<Uint8Array>): Promise<void> {
    await before;
    await this.#sink(await bytes);
  }
}

async function withoutShapes(text: string): Promise<Uint8Array> {
  return Buffer.from(await redactShapes(text), 'latin1');
}

/** Up to where nothing that comes later can make a secret of it. */
function sureUntil(text: string): number {
  const word = /\S*$/.exec(text.slice(-WORD_BYTES_MAX - 1))?.[0].length ?? 0;
  const sure = word > WORD_BYTES_MAX ? text.length : text.length - word;
  const key = text.lastIndexOf(KEY_BEGINS);
  if (key < 0 || text.length - key >= KEY_BYTES_MAX) return sure;
  // The last word of a key is part of it: without it the rest would not be known for a key.
  const end = KEY_ENDS.exec(text.slice(key));
  const isWhole = end !== null && key + end.index + end[0].length <= sure;
  return isWhole ? sure : Math.min(key, sure);
}
