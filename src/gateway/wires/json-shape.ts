/** Reads JSON of unknown shape: values that do not fit are left out, and nothing throws. */
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

/** A positive finite number, or else 0. */
export function countField(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** The text of a content that is either a string or a list of parts, some of which have text. */
export function plainText(content: unknown, between = ''): string {
  if (typeof content === 'string') return content;
  return recordList(content)
    .map((part) => textField(part['text']))
    .join(between);
}

const MARK_CHARS = 40;

/** The same for a tool's result, in which an image counts too: two of them with the same mark are taken for equal. */
export function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordList(content)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : imageMark(part)))
    .join('');
}

function imageMark(part: Readonly<Record<string, unknown>>): string {
  const data = textField(recordField(part['source'])['data'] ?? part['image_url'] ?? part['data']);
  if (data === '') return '';
  // Images of one format begin and end alike.
  const middle = Math.floor(data.length / 2);
  return `[${textField(part['type'])} ${data.length} ${data.slice(middle, middle + MARK_CHARS)}]`;
}

const ARGS_CAPS = { ...JSON_CAPS, valuesMax: 50_000 };

/** Arguments of a call: parsed if they are JSON, otherwise the text itself. */
export function callArguments(written: string): Json {
  if (written === '') return {};
  const parsed = parseWithin(written, ARGS_CAPS);
  return parsed === undefined ? written : (parsed as Json);
}

const TEXT_CHARS_MAX = 1_000_000;

/** Appends a delta to a text, up to a bound, so that an endless answer does not fill memory. */
export function appendText(soFar: string, delta: unknown): string {
  return soFar.length >= TEXT_CHARS_MAX
    ? soFar
    : (soFar + textField(delta)).slice(0, TEXT_CHARS_MAX);
}
