/**
 * The output of a run for a page: the newest part of it, in pieces. What comes faster than the page takes it is left out
 * from the front, so that neither the owner nor the page ever holds a whole log.
 */
import type { OutputChunk } from '../../protocol/api.ts';

export type OutputPiece = { readonly chunks: readonly OutputChunk[]; readonly leftOut: number };

const CHARS_MAX = 200_000;

export async function* newestOutput(
  chunks: AsyncIterable<OutputChunk>,
  charsMax = CHARS_MAX,
): AsyncGenerator<OutputPiece, void> {
  const buffer = new NewestChunks(charsMax);
  const reading = buffer.readAll(chunks);
  reading.catch(() => undefined); // awaited below, possibly much later or never if the page is slow
  for (;;) {
    const piece = await buffer.take();
    if (piece === undefined) break;
    yield piece;
  }
  await reading;
}

class NewestChunks {
  readonly #charsMax: number;
  #chunks: OutputChunk[] = [];
  #chars = 0;
  #leftOut = 0;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  async readAll(chunks: AsyncIterable<OutputChunk>): Promise<void> {
    try {
      for await (const chunk of chunks) this.#add(chunk);
    } finally {
      this.#isOver = true;
      this.#wake?.();
    }
  }

  /** Everything that has come since the last call. Undefined: it is over. */
  async take(): Promise<OutputPiece | undefined> {
    while (this.#chunks.length === 0) {
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const piece = { chunks: this.#chunks, leftOut: this.#leftOut };
    [this.#chunks, this.#chars, this.#leftOut] = [[], 0, 0];
    return piece;
  }

  #add(chunk: OutputChunk): void {
    this.#chunks.push(chunk);
    this.#chars += chunk.text.length;
    while (this.#chars > this.#charsMax && this.#chunks.length > 1) {
      const dropped = this.#chunks.shift()?.text.length ?? 0;
      this.#chars -= dropped;
      this.#leftOut += dropped;
    }
    this.#wake?.();
  }
}
