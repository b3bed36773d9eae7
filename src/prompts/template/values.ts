/** What a template may do with a value. Values are JSON; no function and no object with a prototype is ever one. */
import type { Json } from '../../base/json.ts';
import { isRecord } from '../../base/json.ts';

/** A value in a template; undefined is what a name or key without a value has. */
export type Value = Json | undefined;

export type Filter = {
  readonly argsMin: number;
  readonly argsMax: number;
  /** Throws a TypeError in plain words when it cannot take the value. */
  readonly apply: (value: Value, args: readonly Value[]) => Value;
};

const INDENT_MAX = 100;
/** A text longer than this is refused before it is made. */
export const TEXT_CHARS_MAX = 4_000_000;

const text = (apply: (value: string) => Value): Filter => ({
  argsMin: 0,
  argsMax: 0,
  apply: (value) => apply(toText(value)),
});

export const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['trim', text((value) => value.trim())],
  ['lower', text((value) => value.toLowerCase())],
  ['upper', text((value) => value.toUpperCase())],
  ['indent', { argsMin: 0, argsMax: 2, apply: indent }],
  ['join', { argsMin: 0, argsMax: 1, apply: join }],
  ['replace', { argsMin: 2, argsMax: 2, apply: replace }],
  ['length', { argsMin: 0, argsMax: 0, apply: length }],
  ['default', { argsMin: 1, argsMax: 1, apply: (value, [other]) => value ?? other }],
  ['first', { argsMin: 0, argsMax: 0, apply: (value) => toList(value)[0] }],
  ['last', { argsMin: 0, argsMax: 0, apply: (value) => toList(value).at(-1) }],
  ['reverse', { argsMin: 0, argsMax: 0, apply: (value) => toList(value).toReversed() }],
  ['tojson', { argsMin: 0, argsMax: 0, apply: (value) => renderJson(value ?? null) }],
]);

export const TESTS: ReadonlyMap<string, (value: Value) => boolean> = new Map<
  string,
  (value: Value) => boolean
>([
  ['defined', (value) => value !== undefined],
  ['undefined', (value) => value === undefined],
  ['none', (value) => value === null],
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => typeof value === 'number'],
  ['boolean', (value) => typeof value === 'boolean'],
  ['mapping', isRecord],
  ['sequence', (value) => Array.isArray(value)],
  ['odd', (value) => typeof value === 'number' && Math.abs(value % 2) === 1],
  ['even', (value) => typeof value === 'number' && value % 2 === 0],
]);

/** As in Jinja2: empty lists, records and strings are false. */
export function isTruthy(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return listKeys(value).length > 0;
  return Boolean(value);
}

const KEYS_OF = new WeakMap<object, readonly string[]>();

/**
 * The keys of a record, listed once: a step that asks for them again costs nothing, however large the record is.
 * No template can change a record.
 */
export function listKeys(record: Readonly<Record<string, unknown>>): readonly string[] {
  const known = KEYS_OF.get(record);
  if (known !== undefined) return known;
  const keys = Object.keys(record);
  KEYS_OF.set(record, keys);
  return keys;
}

/** Own keys only, so that no key leads to what JavaScript keeps behind a value. */
export function lookup(of: Value, key: Value): Value {
  if (Array.isArray(of)) {
    const items: readonly Json[] = of;
    return typeof key === 'number' ? items.at(key) : undefined;
  }
  if (typeof of === 'string') return typeof key === 'number' ? of.at(key) : undefined;
  if (!isRecord(of)) return undefined;
  const name = typeof key === 'number' ? String(key) : key;
  return typeof name === 'string' && Object.hasOwn(of, name) ? of[name] : undefined;
}

/** Whether `item` is in a list, a part of a text or a key of a record. */
export function contains(of: Value, item: Value): boolean {
  if (Array.isArray(of)) return of.includes(item ?? null);
  if (typeof of === 'string') return of.includes(toText(item));
  if (isRecord(of)) return typeof item === 'string' && Object.hasOwn(of, item);
  throw new TypeError(`"in" needs a list, a text or a record, not ${valueKind(of)}`);
}

/** A value as text, for the output. Lists and records are written as JSON. */
export function printValue(value: Value): string {
  if (value === undefined) throw new TypeError('this value is undefined');
  if (value === null) return 'none';
  return typeof value === 'object' ? renderJson(value) : String(value);
}

export function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw new TypeError(`a text is expected, not ${valueKind(value)}`);
}

export function toList(value: Value): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`a list is expected, not ${valueKind(value)}`);
}

export function valueKind(value: Value): string {
  if (value === undefined) return 'an undefined value';
  if (value === null) return 'none';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a record' : `a ${typeof value}`;
}

/** How many characters a value has as text, counted no further than one past the bound. */
function valueSize(value: Value): number {
  let size = 0;
  const add = (part: unknown): void => {
    size += typeof part === 'string' ? part.length + 2 : 4;
    if (typeof part !== 'object' || part === null) return;
    for (const [key, inner] of Object.entries(part)) {
      if (size > TEXT_CHARS_MAX) return;
      size += key.length;
      add(inner);
    }
  };
  add(value);
  return size;
}

function renderJson(value: Json): string {
  mustFit(valueSize(value));
  return JSON.stringify(value);
}

function mustFit(chars: number): void {
  if (chars > TEXT_CHARS_MAX)
    throw new TypeError(`this makes a text of more than ${TEXT_CHARS_MAX} characters`);
}

function indent(value: Value, [width = 4, first = false]: readonly Value[]): string {
  if (typeof width !== 'number' || !(width >= 0 && width <= INDENT_MAX))
    throw new TypeError(`indent takes a width from 0 to ${INDENT_MAX}`);
  const pad = ' '.repeat(width);
  const indented = joined(toText(value).split('\n'), `\n${pad}`);
  return isTruthy(first) ? pad + indented : indented;
}

function join(value: Value, [separator = '']: readonly Value[]): string {
  mustFit(valueSize(value));
  return joined(toList(value).map(printValue), toText(separator));
}

function replace(value: Value, [from, to]: readonly Value[]): string {
  const searched = toText(from);
  if (searched === '') throw new TypeError('replace cannot look for an empty text');
  return joined(toText(value).split(searched), toText(to));
}

function joined(parts: readonly string[], separator: string): string {
  mustFit(parts.reduce((sum, part) => sum + part.length, parts.length * separator.length));
  return parts.join(separator);
}

function length(value: Value): number {
  if (isRecord(value)) return listKeys(value).length;
  return typeof value === 'string' ? value.length : toList(value).length;
}
