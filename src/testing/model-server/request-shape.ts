import { isRecord } from '../../base/json.ts';

/**
 * The array, or an empty one: rules about meaning skip values that a rule about shape has refused.
 */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function records(value: unknown): readonly Record<string, unknown>[] {
  return list(value).filter(isRecord);
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function isBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() === '';
}

/** The first key that is not in the list. */
export function strangeKey(
  value: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): string | undefined {
  return Object.keys(value).find((key) => !known.has(key));
}

export function firstDuplicate(values: readonly string[]): string | undefined {
  return values.find((value, index) => values.indexOf(value) !== index);
}

/** The first answer that is not undefined. */
export function findFirst<Item, Found>(
  items: readonly Item[],
  find: (item: Item, index: number) => Found | undefined,
): Found | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The kind of a value, in the words that providers use in their messages. */
export function typeWord(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return `a ${typeof value}`;
}

/** Pieces of at most `size` code points, so that a stream has several deltas. */
export function pieces(whole: string, size = 24): readonly string[] {
  const points = Array.from(whole);
  const found: string[] = [];
  for (let start = 0; start < points.length; start += size)
    found.push(points.slice(start, start + size).join(''));
  return found;
}

/** One server-sent event. */
export function sse(data: unknown, event?: string): string {
  const line = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${line}\n\n`;
}
