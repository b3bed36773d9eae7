/** Caches results about texts by content hash. An entry is never wrong; it can only be dropped. */
import type { ProjectFile } from './project-view.ts';

export type Redaction = { readonly text: string; readonly hash: string } | 'unchanged';

const ENTRIES_MAX = 50_000;
const CHARS_MAX = 64_000_000;
const TEXT_CHARS_MAX = 8_000_000;

export class ContextCache {
  readonly #tokens = new Map<string, number>();
  readonly #redactions = new Map<string, Redaction>();
  readonly #files = new Map<string, { readonly fingerprint: string; readonly seen: ProjectFile }>();
  readonly #texts = new Map<string, string>();
  #chars = 0;
  #textChars = 0;
  #fileChars = 0;

  /** A file that has not changed since it was read. */
  file(key: string, fingerprint: string): ProjectFile | undefined {
    const known = this.#files.get(key);
    return known?.fingerprint === fingerprint ? known.seen : undefined;
  }

  keepFile(key: string, fingerprint: string, seen: ProjectFile): void {
    const chars = seen.kind === 'text' ? seen.text.length : 0;
    if (this.#files.size >= ENTRIES_MAX || this.#fileChars + chars > CHARS_MAX) {
      this.#files.clear();
      this.#fileChars = 0;
    }
    this.#files.set(key, { fingerprint, seen });
    this.#fileChars += chars;
  }

  tokens(hash: string, count: () => number): number {
    const known = this.#tokens.get(hash);
    if (known !== undefined) return known;
    if (this.#tokens.size >= ENTRIES_MAX) this.#tokens.clear();
    const counted = count();
    this.#tokens.set(hash, counted);
    return counted;
  }

  /** A packed text, by the fragments that it consists of. */
  text(key: string, make: () => string): string {
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.#textChars + made.length > TEXT_CHARS_MAX) {
      this.#texts.clear();
      this.#textChars = 0;
    }
    if (made.length > TEXT_CHARS_MAX) return made;
    this.#texts.set(key, made);
    this.#textChars += made.length;
    return made;
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
