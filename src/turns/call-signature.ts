/** Whether two tool calls do the same, and whether two outputs say the same: both by a short hash. */
import { hashText } from '../base/hash-text.ts';
import { canonicalJson, parseJson } from '../base/json.ts';
import type { Json } from '../base/json.ts';
import { normaliseText } from './normalise.ts';

/** Enough to tell the calls of one run apart, and short, because each is stored. */
const HASH_DIGITS = 12;
/** Longer arguments are compared as text, not as JSON. */
const PARSED_CHARS_MAX = 64_000;
/** What a model writes beside a call, and what counts its tries. It differs although the call is the same. */
const REMARKS = new Set([
  ...['description', 'explanation', 'justification', 'reason', 'summary'],
  ...['attempt', 'retry', 'retries', 'try', 'iteration', 'counter', 'nonce'],
  ...['request_id', 'requestId', 'trace_id', 'traceId'],
]);

/** `input` are its arguments: a value, or JSON in a text. */
export function callSignature(tool: string, input: unknown): string {
  return shortHash(`${tool}\0${normaliseText(argumentsText(input))}`);
}

/** An output of hardly more than an id says which one it is. */
export function outputMark(output: string): string {
  const text = normaliseText(output);
  const words = text.replaceAll('<id>', '').match(/[a-z]{2,}/gi)?.length ?? 0;
  return shortHash(text.includes('<id>') && words <= 1 ? output.trim() : text);
}

function shortHash(text: string): string {
  return hashText(text).slice(0, HASH_DIGITS);
}

function argumentsText(input: unknown): string {
  const value = parsedArguments(input);
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? '');
  const text = JSON.stringify(value);
  const written =
    text.length > PARSED_CHARS_MAX ? text : canonicalJson(withoutRemarks(value as Json));
  return written.replaceAll(/\\[nrt]/g, ' ');
}

/** Some wires have the arguments as JSON inside a text. */
export function parsedArguments(input: unknown): unknown {
  if (typeof input !== 'string' || input.length > PARSED_CHARS_MAX) return input;
  return /^\s*[{[]/.test(input) ? (parseJson(input) ?? input) : input;
}

function withoutRemarks(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !REMARKS.has(key)));
}
