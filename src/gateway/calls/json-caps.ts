/**
 * Whether a JSON text is one that may be parsed at all. Thirty megabytes of `{},` are a small message on
 * the wire and gigabytes once they are values, so values, depth and lengths are counted first, by
 * one pass over the text that allocates nothing.
 */
import { stringEndIndex, parseJson } from '../../base/json.ts';

export type JsonCaps = {
  /** Objects, lists, texts, numbers and words together. */
  readonly valuesMax: number;
  readonly depthMax: number;
  /** Of one text, or of one number. */
  readonly charsMax: number;
};

/** A long conversation has some ten thousand values; its length is in its texts. */
export const JSON_CAPS: JsonCaps = { valuesMax: 250_000, depthMax: 200, charsMax: 32_000_000 };

export type JsonExcess = 'too many values' | 'too many levels' | 'too long a text';

export type JsonSize = { readonly values: number; readonly excess: JsonExcess | null };

/** What is no JSON is counted as if it were: it is for the parser to say so. */
export function measureJson(text: string, caps: JsonCaps = JSON_CAPS): JsonSize {
  const { valuesMax, depthMax, charsMax } = caps;
  let values = 1;
  let depth = 0;
  let wordChars = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const does = code < DOES.length ? DOES[code] : PART_OF_A_WORD;
    if (does === PART_OF_A_WORD) {
      wordChars += 1;
      if (wordChars > WORD_CHARS_MAX) return { values, excess: 'too long a text' };
      continue;
    }
    wordChars = 0;
    if (does === SEPARATES) continue;
    if (does === BEGINS_TEXT) {
      const end = stringEndIndex(text, at);
      if (end - at > charsMax) return { values, excess: 'too long a text' };
      at = end;
    } else if (does === CLOSES) depth -= 1;
    else {
      values += 1;
      if (values > valuesMax) return { values, excess: 'too many values' };
      if (does === OPENS && (depth += 1) > depthMax) return { values, excess: 'too many levels' };
    }
  }
  return { values, excess: null };
}

/** The parsed value; undefined when it is no JSON, or too much of it. */
export function parseWithin(text: string, caps: JsonCaps = JSON_CAPS): unknown {
  return measureJson(text, caps).excess === null ? parseJson(text) : undefined;
}

const WORD_CHARS_MAX = 1000;
const PART_OF_A_WORD = 0;
const SEPARATES = 1;
const BEGINS_TEXT = 2;
const OPENS = 3;
const CLOSES = 4;
const COUNTS = 5;

/** What each character does outside of a text. */
const DOES = new Uint8Array(128);
for (const [characters, does] of [
  [' \n\r\t:', SEPARATES],
  ['"', BEGINS_TEXT],
  ['[{', OPENS],
  [']}', CLOSES],
  [',', COUNTS],
] as const)
  for (const character of characters) DOES[character.charCodeAt(0)] = does;
