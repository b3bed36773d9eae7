/** Reading JSON of which nothing is known: what does not fit is left out, and nothing throws. */
import type { Json } from '../../base/json.ts';
import { isRecord } from '../../base/json.ts';
import { JSON_CAPS, parseWithin } from '../calls/json-caps.ts';

export function recordList(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function recordField(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function textField(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count of something: anything else is none. */
export function countField(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** The text of a content that is a string, or a list of parts of which some have text. */
export function plainText(content: unknown, between = ''): string {
  if (typeof content === 'string') return content;
  return recordList(content)
    .map((part) => textField(part['text']))
    .join(between);
}

const ARGS_CAPS = { ...JSON_CAPS, valuesMax: 50_000 };

/** Arguments as they were meant: JSON where it is JSON, else the text itself. */
export function callArguments(written: string): Json {
  if (written === '') return {};
  const parsed = parseWithin(written, ARGS_CAPS);
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
export function appendText(soFar: string, delta: unknown): string {
  return soFar.length >= HELD_CHARS_MAX
    ? soFar
    : (soFar + textField(delta)).slice(0, HELD_CHARS_MAX);
}
