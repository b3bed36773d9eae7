import type { StreamHead } from '../plan-group.ts';
import type { RunTable } from './projections.ts';
import { readRunOfStream } from './projections.ts';
import type { Statements } from './statements.ts';

const HEADS_MAX = 1024;

/** Caches the committed heads of the most recently written streams. The others are read on demand. */
export class StreamHeads {
  readonly #sql: Statements;
  readonly #runs: RunTable;
  readonly #heads = new Map<string, StreamHead>();

  constructor(sql: Statements, runs: RunTable) {
    this.#sql = sql;
    this.#runs = runs;
  }

  get(stream: string): StreamHead {
    const known = this.known(stream);
    if (known !== undefined) return known;
    return { seq: this.#sql.lastSeq(stream), run: readRunOfStream(this.#runs, stream) };
  }

  known(stream: string): StreamHead | undefined {
    return this.#heads.get(stream);
  }

  set(stream: string, head: StreamHead): void {
    this.#heads.delete(stream); // re-inserted, so that the first key is the least recently used
    this.#heads.set(stream, head);
    if (this.#heads.size <= HEADS_MAX) return;
    for (const oldest of this.#heads.keys()) {
      this.#heads.delete(oldest);
      return;
    }
  }

  clear(): void {
    this.#heads.clear();
  }
}
