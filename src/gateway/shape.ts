/** Reading JSON of which nothing is known: what does not fit is left out, and nothing throws. */
import type { Json } from '../base/json.ts';
import { isRecord, parseJson } from '../base/json.ts';

export function records(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count of something: anything else is none. */
export function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** The text of a content that is a string, or a list of parts of which some have text. */
export function plainText(content: unknown, between = ''): string {
  if (typeof content === 'string') return content;
  return records(content)
    .map((part) => text(part['text']))
    .join(between);
}

const NESTING_MAX = 500;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/**
 * The parsed value; undefined when it is no JSON, or nested so deeply that writing it down again
 * would break the stack. Only brackets outside of strings count.
 */
export function parseShallow(written: string): unknown {
  let depth = 0;
  for (let at = 0; at < written.length; at += 1) {
    const code = written.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    else if (code === QUOTE) at = endOfString(written, at);
    if (depth > NESTING_MAX) return undefined;
  }
  return parseJson(written);
}

/** Where the string that begins at `from` ends: at a quote with an even number of backslashes before it. */
function endOfString(written: string, from: number): number {
  for (let at = written.indexOf('"', from + 1); at !== -1; at = written.indexOf('"', at + 1)) {
    let before = at - 1;
    while (written.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return written.length;
}

/** Arguments as they were meant: JSON where it is JSON, else the text itself. */
export function argsOf(written: string): Json {
  if (written === '') return {};
  const parsed = parseShallow(written);
  return parsed === undefined ? written : (parsed as Json);
}

const REPORT_CHARS = 300;
const FAILED =
  /\bexit(?:ed)?(?: with)?(?: exit)? ?code:?\s*[1-9]|^\s*(?:<tool_use_error>|error:|failed\b)/i;

/** How shell tools tell a model that a command failed, where their wire has no field for it. */
export function readsAsFailure(result: string): boolean {
  return FAILED.test(result.slice(0, REPORT_CHARS)) || FAILED.test(result.slice(-REPORT_CHARS));
}

const HELD_CHARS_MAX = 1_000_000;

/** A text that grows by deltas, up to a bound: nobody is made to hold an endless answer. */
export function grown(soFar: string, delta: unknown): string {
  return soFar.length >= HELD_CHARS_MAX ? soFar : (soFar + text(delta)).slice(0, HELD_CHARS_MAX);
}
