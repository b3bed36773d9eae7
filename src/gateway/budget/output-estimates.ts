/** How much models tend to write, learnt as they go: what a call reserves for its output. */
const AT_FIRST = 4000;
const FORGETS = 0.9;
const KNOWN_MAX = 200;

export class OutputEstimates {
  readonly #known = new Map<string, number>();

  /** A large answer is remembered at once and forgotten slowly: to reserve too little is the dearer error. */
  learn(model: string, tokens: number): void {
    const before = this.#known.get(model) ?? 0;
    if (this.#known.size >= KNOWN_MAX && before === 0) return;
    this.#known.set(model, Math.max(tokens, before * FORGETS));
  }

  expect(model: string, tokensMax: number | undefined): number {
    return Math.ceil(Math.min(this.#known.get(model) ?? AT_FIRST, tokensMax ?? Infinity));
  }
}
