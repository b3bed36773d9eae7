/**
 * Reads JSON of unknown shape, one field at a time. A field that is missing or has another type is
 * undefined or empty.
 */
import { isRecord, parseJson } from '../base/json.ts';
import { truncate } from '../base/text.ts';
import type { AgentEvent } from './agent-event.ts';

export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

/** The object on this line. Undefined if there is none. */
export function objectIn(line: string): Fields | undefined {
  // Only an object can be an event. Parsing every line would be slow for an agent that floods its
  // output.
  const start = line.trimStart();
  if (!start.startsWith('{')) return undefined;
  const value = parseJson(start);
  return isRecord(value) ? value : undefined;
}

export function object(fields: Fields, key: string): Fields {
  const value = fields[key];
  return isRecord(value) ? value : NONE;
}

export function list(fields: Fields, key: string): readonly Fields[] {
  const value = fields[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function text(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The text of a content that is one text, or a list of parts of which some have a text. */
function contentText(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content.map((part) => (isRecord(part) ? (text(part, 'text') ?? '') : '')).join('');
}

export function toolResultEvent(
  id: string | undefined,
  isError: boolean,
  output: unknown,
): Extract<AgentEvent, { kind: 'tool-result' }> {
  const said = contentText(output);
  return {
    kind: 'tool-result',
    id: id ?? null,
    isError,
    ...(said !== undefined && { output: said }),
  };
}

export function number(fields: Fields, key: string): number | undefined {
  const value = fields[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** An instant, written as ISO 8601 or as milliseconds. */
export function instant(fields: Fields, key: string): number | null {
  const value = fields[key];
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? null : parsed;
}

/** The value at a dotted path such as `a.b.0.c`. */
export function foldTranscriptEvents(value: unknown, path: string): unknown {
  let at = value;
  for (const step of path.split('.')) {
    if (Array.isArray(at)) at = at[Number(step)];
    else if (isRecord(at)) at = Object.hasOwn(at, step) ? at[step] : undefined;
    else return undefined;
  }
  return at;
}

const ARGS_CHARS_MAX = 200;

/** The arguments of a tool, short enough for a log line. */
function summary(args: unknown): string {
  if (args === undefined) return '';
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return truncate(text, ARGS_CHARS_MAX);
}

/** The event for the call of a tool. */
export function toolUseEvent(
  tool: string,
  id: string | null,
  input: unknown,
): Extract<AgentEvent, { kind: 'used-tool' }> {
  return { kind: 'used-tool', tool, id, args: summary(input), input };
}
