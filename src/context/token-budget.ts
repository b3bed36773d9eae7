import type { ContextCache } from './context-cache.ts';
import type { Fragment } from './fragment.ts';
import { countTokens, tokensAtMost } from './tokenizer.ts';

export type PackedFragment = {
  readonly piece: Fragment;
  readonly text: string;
  readonly hash: string;
};

/** The tokens of the tags around a text, without its name. */
const MARKS_TOKENS = 40;

/**
 * The tokens that are left. Counting tokens is expensive, so a text is first assumed to have as many
 * tokens as bytes. It is counted only if that does not fit.
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

  /** The tokens that the last refused fragment would have needed. */
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

  /** Removes the last fragment. */
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
