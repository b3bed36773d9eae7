/**
 * Checks whether a JSON text is safe to parse. Thirty megabytes of `{},` are a small message on the wire and
 * gigabytes of values in memory. So values, depth and lengths are counted first, in one pass over the text that
 * allocates nothing.
 */
import { stringEndIndex, parseJson } from '../../base/json.ts';

export type JsonCaps = {
  /** Objects, lists, strings, numbers and literals together. */
  readonly valuesMax: number;
  readonly depthMax: number;
  /** The length of one string or one number. */
  readonly charsMax: number;
};

/** A long conversation has some ten thousand values; most of its length is in strings. */
export const JSON_CAPS: JsonCaps = { valuesMax: 250_000, depthMax: 200, charsMax: 32_000_000 };

type JsonExcess = 'too many values' | 'too many nested levels' | 'a string that is too long';

export type JsonSize = { readonly values: number; readonly excess: JsonExcess | null };

/** Counts invalid JSON as if it were valid. The parser reports it later. */
export function measureJson(text: string, caps: JsonCaps = JSON_CAPS): JsonSize {
  const { valuesMax, depthMax, charsMax } = caps;
  let values = 1;
  let depth = 0;
  let wordChars = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const role = code < ROLES.length ? ROLES[code] : LITERAL;
    if (role === LITERAL) {
      wordChars += 1;
      if (wordChars > WORD_CHARS_MAX) return { values, excess: 'a string that is too long' };
      continue;
    }
    wordChars = 0;
    if (role === SEPARATOR) continue;
    if (role === QUOTE) {
      const end = stringEndIndex(text, at);
      if (end - at > charsMax) return { values, excess: 'a string that is too long' };
      at = end;
    } else if (role === CLOSING) depth -= 1;
    else {
      values += 1;
      if (values > valuesMax) return { values, excess: 'too many values' };
      if (role === OPENING && (depth += 1) > depthMax)
        return { values, excess: 'too many nested levels' };
    }
  }
  return { values, excess: null };
}

/** The parsed value. Undefined if the text is not JSON, or exceeds the caps. */
export function parseWithin(text: string, caps: JsonCaps = JSON_CAPS): unknown {
  return measureJson(text, caps).excess === null ? parseJson(text) : undefined;
}

const WORD_CHARS_MAX = 1000;
const LITERAL = 0;
const SEPARATOR = 1;
const QUOTE = 2;
const OPENING = 3;
const CLOSING = 4;
const COMMA = 5;

/** The role of each character outside of strings. */
const ROLES = new Uint8Array(128);
for (const [characters, role] of [
  [' \n\r\t:', SEPARATOR],
  ['"', QUOTE],
  ['[{', OPENING],
  [']}', CLOSING],
  [',', COMMA],
] as const)
  for (const character of characters) ROLES[character.charCodeAt(0)] = role;
