/** What was found out about texts, by their content: it never becomes wrong, only forgotten. */
export type Redaction = { readonly text: string; readonly hash: string } | 'unchanged';

const ENTRIES_MAX = 50_000;
const CHARS_MAX = 64_000_000;

export class ContextCache {
  readonly #tokens = new Map<string, number>();
  readonly #redactions = new Map<string, Redaction>();
  #chars = 0;

  tokens(hash: string, count: () => number): number {
    const known = this.#tokens.get(hash);
    if (known !== undefined) return known;
    if (this.#tokens.size >= ENTRIES_MAX) this.#tokens.clear();
    const counted = count();
    this.#tokens.set(hash, counted);
    return counted;
  }

  async redaction(key: string, redact: () => Promise<Redaction>): Promise<Redaction> {
    const known = this.#redactions.get(key);
    if (known !== undefined) return known;
    const made = await redact();
    const chars = made === 'unchanged' ? 0 : made.text.length;
    if (this.#redactions.size >= ENTRIES_MAX || this.#chars + chars > CHARS_MAX) {
      this.#redactions.clear();
      this.#chars = 0;
    }
    this.#redactions.set(key, made);
    this.#chars += chars;
    return made;
  }
}
