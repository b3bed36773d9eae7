/** A bounded part of what a command prints: its start or its end. */
export class BoundedOutput {
  readonly #kept: 'start' | 'end';
  readonly #bytesMax: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(kept: 'start' | 'end', bytesMax: number) {
    this.#kept = kept;
    this.#bytesMax = bytesMax;
  }

  push(chunk: Uint8Array): void {
    if (this.#kept === 'start') {
      const part = chunk.subarray(0, Math.max(this.#bytesMax - this.#bytes, 0));
      if (part.length > 0) this.#chunks.push(part);
      this.#bytes += part.length;
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (let [first] = this.#chunks; first !== undefined; [first] = this.#chunks) {
      if (this.#bytes - first.length < this.#bytesMax) return;
      this.#chunks.shift();
      this.#bytes -= first.length;
    }
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
