/**
 * Reads JSON with comments and trailing commas, as CLIs accept it in their settings, with the place of each value. So a
 * text can be changed in one place, and every other byte stays.
 */

export type JsonPlace = {
  /** The offsets of its first character, and behind its last one. */
  readonly start: number;
  readonly end: number;
} & (
  | { readonly kind: 'object'; readonly entries: readonly JsonEntry[] }
  | { readonly kind: 'array'; readonly items: readonly JsonPlace[] }
  | { readonly kind: 'other' }
);
type JsonEntry = { readonly key: string; readonly value: JsonPlace };

const DEPTH_MAX = 100;
/** A number or a word. */
const LITERAL = /[^\s,\]}"/[{:]+/y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const SPACE = /(?:[\s\uFEFF]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;

/** Undefined if the text is not JSON. */
export function findJsonPlaces(text: string): JsonPlace | undefined {
  const reader = new Reader(text);
  const value = reader.value(0);
  return value !== undefined && reader.isAtEnd() ? value : undefined;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#match(SPACE);
    return this.#at === this.#text.length;
  }

  value(depth: number): JsonPlace | undefined {
    this.#match(SPACE);
    const start = this.#at;
    const first = this.#text[start];
    if (depth > DEPTH_MAX) return undefined;
    if (first === '{') return this.#object(start, depth);
    if (first === '[') return this.#array(start, depth);
    const found = this.#match(first === '"' ? STRING : LITERAL);
    return found === undefined || !isScalar(found)
      ? undefined
      : { kind: 'other', start, end: this.#at };
  }

  #object(start: number, depth: number): JsonPlace | undefined {
    const entries: JsonEntry[] = [];
    this.#at += 1;
    while (!this.#takes('}')) {
      this.#match(SPACE);
      const key = this.#match(STRING);
      if (key === undefined || !this.#takes(':')) return undefined;
      const value = this.value(depth + 1);
      if (value === undefined || !this.#takesSeparator('}')) return undefined;
      entries.push({ key: JSON.parse(key) as string, value });
    }
    return { kind: 'object', start, end: this.#at, entries };
  }

  #array(start: number, depth: number): JsonPlace | undefined {
    const items: JsonPlace[] = [];
    this.#at += 1;
    while (!this.#takes(']')) {
      const value = this.value(depth + 1);
      if (value === undefined || !this.#takesSeparator(']')) return undefined;
      items.push(value);
    }
    return { kind: 'array', start, end: this.#at, items };
  }

  /** A comma, or the closing bracket, which is left to be taken. */
  #takesSeparator(closing: string): boolean {
    if (this.#takes(',')) return true;
    return this.#text[this.#at] === closing;
  }

  #takes(mark: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

function isScalar(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // neither a number, a text nor a word of JSON
  }
}
