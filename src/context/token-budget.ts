import type { ContextCache } from './context-cache.ts';
import type { Fragment } from './fragment.ts';
import { countTokens, tokensAtMost } from './tokenizer.ts';

export type PackedFragment = {
  readonly piece: Fragment;
  readonly text: string;
  readonly hash: string;
};

/** What the marks around a text may cost, beside its name. */
const MARKS_TOKENS = 40;

/**
 * The room that is left. Counting tokens is dear, so a text is first taken to have as many as it
 * has bytes; it is counted only when that would not fit.
 */
export class TokenBudget {
  readonly kept: PackedFragment[] = [];
  readonly #size: number;
  readonly #cache: ContextCache;
  readonly #costs: { readonly cost: number; readonly isCounted: boolean }[] = [];
  #used = 0;
  #needed = 0;

  constructor(size: number, cache: ContextCache) {
    this.#size = size;
    this.#cache = cache;
  }

  /** What would have been needed for the piece that was refused last. */
  get needed(): number {
    return this.#needed;
  }

  take(one: PackedFragment): 'taken' | 'no room' | 'larger than the whole budget' {
    const atMost = tokensAtMost(one.text) + tokensAtMost(one.piece.name) + MARKS_TOKENS;
    if (this.#used + atMost <= this.#size) return this.#keep(one, atMost, { isCounted: false });
    const cost = this.#count(one);
    if (this.#used + cost > this.#size) this.#countAll();
    this.#needed = this.#used + cost;
    if (this.#needed <= this.#size) return this.#keep(one, cost, { isCounted: true });
    return cost > this.#size ? 'larger than the whole budget' : 'no room';
  }

  /** Takes the last piece out again. */
  giveBack(): void {
    this.kept.pop();
    this.#used -= this.#costs.pop()?.cost ?? 0;
  }

  #keep(
    one: PackedFragment,
    cost: number,
    { isCounted }: { readonly isCounted: boolean },
  ): 'taken' {
    this.kept.push(one);
    this.#costs.push({ cost, isCounted });
    this.#used += cost;
    return 'taken';
  }

  #count({ piece, text, hash }: PackedFragment): number {
    const tokens = this.#cache.tokens(hash, () => countTokens(text));
    return tokens + countTokens(piece.name) + MARKS_TOKENS;
  }

  #countAll(): void {
    for (const [index, one] of this.kept.entries()) {
      if (this.#costs[index]?.isCounted !== false) continue;
      const cost = this.#count(one);
      this.#used += cost - this.#costs[index].cost;
      this.#costs[index] = { cost, isCounted: true };
    }
  }
}
