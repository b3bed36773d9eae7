/** How much of the output of a run was shown, so that it can be read again from its start and shown from there on. */
import type { OutputChunk } from '../../protocol/api.ts';

type Piece = Pick<OutputChunk, 'key' | 'stream' | 'text'>;

export class OutputPlace {
  /** In characters, by command and stream: the two streams of a command come in any order. */
  readonly #shown = new Map<string, number>();
  #skipped = new Map<string, number>();

  /** The output comes again from its start. */
  rewind(): void {
    this.#skipped = new Map(this.#shown);
  }

  /** The part of a chunk that was not shown yet. Undefined: all of it was. */
  take<Chunk extends Piece>(chunk: Chunk): Chunk | undefined {
    const { key, stream, text } = chunk;
    const name = `${stream} ${key}`;
    const skip = Math.min(this.#skipped.get(name) ?? 0, text.length);
    if (skip > 0) this.#skipped.set(name, (this.#skipped.get(name) ?? 0) - skip);
    if (skip === text.length && this.#shown.has(name)) return undefined;
    this.#shown.set(name, (this.#shown.get(name) ?? 0) + text.length - skip);
    return skip === 0 ? chunk : { ...chunk, text: text.slice(skip) };
  }
}
