/**
 * Finds any of many byte sequences in a stream, in one pass (Aho and Corasick). The state after a byte is the longest
 * suffix of the stream that begins a sequence. So it shows how many of the last bytes may still belong to a match,
 * and only those have to be held back.
 */
export class ByteMatcher {
  /** The class of each byte: bytes that occur in no sequence share class 0. */
  readonly #classes = new Uint16Array(256);
  readonly #width: number;
  /** The next state for each state and class. */
  readonly #next: Int32Array;
  /** The length of the suffix that each state stands for. */
  readonly #depth: Int32Array;
  /**
   * For each state, the length of the longest sequence that ends there, or 0. The longest covers the shorter ones.
   */
  readonly #found: Int32Array;

  constructor(sequences: readonly Uint8Array[]) {
    let classes = 0;
    for (const sequence of sequences)
      for (const byte of sequence)
        if (this.#classes[byte] === 0) this.#classes[byte] = classes += 1;
    this.#width = classes + 1;
    const statesMax = 1 + sequences.reduce((sum, { length }) => sum + length, 0);
    this.#next = new Int32Array(statesMax * this.#width).fill(-1);
    this.#depth = new Int32Array(statesMax);
    this.#found = new Int32Array(statesMax);
    this.#grow(sequences);
    this.#link();
  }

  #grow(sequences: readonly Uint8Array[]): void {
    let states = 1;
    for (const sequence of sequences) {
      let state = 0;
      for (const byte of sequence) {
        const edge = state * this.#width + (this.#classes[byte] ?? 0);
        if (this.#next[edge] === -1) {
          this.#depth[states] = (this.#depth[state] ?? 0) + 1;
          this.#next[edge] = states;
          states += 1;
        }
        state = this.#next[edge] ?? 0;
      }
      this.#found[state] = sequence.length;
    }
  }

  /** Breadth first, so that the fallback state is complete before it is needed. */
  #link(): void {
    const fallback = new Int32Array(this.#depth.length);
    const queue: number[] = [0];
    for (const state of queue) {
      for (let byteClass = 0; byteClass < this.#width; byteClass += 1) {
        const edge = state * this.#width + byteClass;
        const child = this.#next[edge] ?? -1;
        const back = fallback[state] ?? 0;
        const other = state === 0 ? 0 : (this.#next[back * this.#width + byteClass] ?? 0);
        if (child === -1) {
          this.#next[edge] = other;
          continue;
        }
        fallback[child] = state === 0 ? 0 : other;
        this.#found[child] ||= this.#found[fallback[child] ?? 0] ?? 0;
        queue.push(child);
      }
    }
  }

  /** Returns the state after these bytes. Calls `found` with the end and length of each match. */
  run(
    state: number,
    bytes: Uint8Array,
    from: number,
    found: (end: number, length: number) => void,
  ): number {
    const [classes, next, finds, width] = [this.#classes, this.#next, this.#found, this.#width];
    let now = state;
    for (let at = from; at < bytes.length; at += 1) {
      now = next[now * width + (classes[bytes[at] as number] as number)] as number;
      if ((finds[now] as number) > 0) found(at + 1, finds[now] as number);
    }
    return now;
  }

  /** How many of the last bytes may still become part of a match. */
  depth(state: number): number {
    return this.#depth[state] ?? 0;
  }
}
