/**
 * Adds one value to a list inside JSON text, in one piece: every other byte stays, and cutting the piece out restores the
 * text. Objects and lists on the way are created as part of the piece.
 */
import type { JsonPlace } from './json-places.ts';
import { findJsonPlaces } from './json-places.ts';

export type Insertion = { readonly text: string; readonly piece: string };

/** Undefined if the text is not JSON, or if something else is where an object or the list has to be. */
export function insertJson(
  text: string,
  path: readonly string[],
  value: unknown,
): Insertion | undefined {
  const root = findJsonPlaces(text);
  if (root === undefined) return undefined;
  let at = root;
  const missing = [...path];
  for (;;) {
    const [key] = missing;
    if (key === undefined) break;
    if (at.kind !== 'object') return undefined;
    const entry = at.entries.findLast((one) => one.key === key);
    if (entry === undefined) break;
    at = entry.value;
    missing.shift();
  }
  const style = styleOf(text, root);
  const depth = path.length - missing.length;
  if (missing.length === 0)
    return at.kind === 'array'
      ? put(text, at, at.items, render(value, depth + 1, style), depth, style)
      : undefined;
  if (at.kind !== 'object') return undefined;
  const [first = '', ...inner] = missing;
  const created = inner.reduceRight<unknown>((part, key) => ({ [key]: part }), [value]);
  const entry = `${JSON.stringify(first)}: ${render(created, depth + 1, style)}`;
  return put(
    text,
    at,
    at.entries.map((one) => one.value),
    entry,
    depth,
    style,
  );
}

type Style = { readonly indent: string; readonly newline: string };

function styleOf(text: string, root: JsonPlace): Style {
  const indent = /\n([ \t]+)\S/.exec(text.slice(root.start))?.[1] ?? '  ';
  return { indent, newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

function render(value: unknown, depth: number, { indent, newline }: Style): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', newline + indent.repeat(depth));
}

/** Behind the last member, before whatever follows it: a comma, a comment or the closing bracket. */
function put(
  text: string,
  container: JsonPlace,
  members: readonly JsonPlace[],
  member: string,
  depth: number,
  { indent, newline }: Style,
): Insertion {
  const last = members.at(-1);
  const line = `${newline}${indent.repeat(depth + 1)}${member}`;
  const inside = text.slice(container.start + 1, container.end - 1);
  const closing =
    last === undefined && !inside.includes('\n') ? newline + indent.repeat(depth) : '';
  const piece = last === undefined ? `${line}${closing}` : `,${line}`;
  const offset = last?.end ?? container.start + 1;
  return { text: text.slice(0, offset) + piece + text.slice(offset), piece };
}

/**
 * The text without the piece. If the user has changed the text next to it, the value itself is cut out, with one comma.
 * Undefined if it is not there any more. `mark`: text that only our value contains.
 */
export function removeJson(
  text: string,
  piece: string,
  path: readonly string[],
  mark: string,
): string | undefined {
  const offset = text.lastIndexOf(piece);
  if (offset !== -1) {
    const rest = text.slice(0, offset) + text.slice(offset + piece.length);
    if (findJsonPlaces(rest) !== undefined) return rest;
  }
  let at = findJsonPlaces(text);
  for (const key of path)
    at = at?.kind === 'object' ? at.entries.findLast((one) => one.key === key)?.value : undefined;
  if (at?.kind !== 'array') return undefined;
  const nth = at.items.findLastIndex(({ start, end }) => text.slice(start, end).includes(mark));
  const own = at.items[nth];
  if (own === undefined) return undefined;
  const before = at.items[nth - 1];
  const comma = before === undefined ? commaAfter(text, own.end) : commaAfter(text, before.end);
  const cuts = [{ start: own.start, end: own.end }, ...(comma === undefined ? [] : [comma])];
  return cuts
    .toSorted((one, other) => other.start - one.start)
    .reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
}

/** The comma that follows a member. Comments in between stay. */
function commaAfter(
  text: string,
  offset: number,
): { readonly start: number; readonly end: number } | undefined {
  const skipped = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*,/.exec(text.slice(offset));
  if (skipped === null) return undefined;
  const end = offset + skipped[0].length;
  return { start: end - 1, end };
}
