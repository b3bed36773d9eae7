/** A value that `JSON.parse(JSON.stringify(x))` does not change. Only such values are stored or sent. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const NESTING_MAX = 500;

/**
 * The parsed value. Undefined if the text is not JSON, or nested so deeply that walking or
 * serializing it would overflow the stack. Never throws.
 */
export function parseJson(text: string): unknown {
  if (isDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // text becomes a value here: "not JSON" is a result, not an error
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Counts only brackets outside strings. */
function isDeep(text: string): boolean {
  if (text.length <= NESTING_MAX) return false;
  let depth = 0;
  for (let at = 0; at < text.length && depth <= NESTING_MAX; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    else if (code === QUOTE) at = stringEndIndex(text, at);
  }
  return depth > NESTING_MAX;
}

/** The end of the string that starts at `from`: a quote after an even number of backslashes. */
export function stringEndIndex(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

/** JSON with sorted keys, so that equal values have equal text. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).toSorted(byKey)) : part,
  );
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
