/** Learns how much each model tends to write. A call reserves that much for its output. */
const INITIAL_TOKENS = 4000;
const DECAY = 0.9;
const KNOWN_MAX = 200;

export class OutputEstimates {
  readonly #known = new Map<string, number>();

  /**
   * A large answer raises the estimate at once, and the estimate falls slowly: reserving too little is the more
   * expensive error.
   */
  learn(model: string, tokens: number): void {
    const before = this.#known.get(model) ?? 0;
    if (this.#known.size >= KNOWN_MAX && before === 0) return;
    this.#known.set(model, Math.max(tokens, before * DECAY));
  }

  expect(model: string, tokensMax: number | undefined): number {
    return Math.ceil(Math.min(this.#known.get(model) ?? INITIAL_TOKENS, tokensMax ?? Infinity));
  }
}
