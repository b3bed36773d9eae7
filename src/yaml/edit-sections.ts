/**
 * Changes a list and a map at the top of a YAML text. What is outside of both stays byte for byte, and so do the comments
 * inside of them. Undefined: the text is built in a way that can't be changed so, such as with anchors.
 */
import {
  Document,
  YAMLMap,
  YAMLSeq,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  visit,
} from 'yaml';
import type { Node, Pair } from 'yaml';
import type { Json } from '../base/json.ts';

/** Null removes the key. */
export type MapEdit = { readonly [key: string]: Json };

export type ListEdit = {
  /** The item that it was. Null: it is new. Items that are not named go away. */
  readonly was: number | null;
  readonly set: MapEdit;
};

export type SectionEdits = {
  readonly list: { readonly key: string; readonly items: readonly ListEdit[] };
  readonly map: { readonly key: string; readonly set: MapEdit };
};

export function editSections(text: string, { list, map }: SectionEdits): string | undefined {
  const document = parseDocument(text);
  if (document.errors.length > 0 || !isPlain(document)) return undefined;
  document.contents ??= new YAMLMap(document.schema) as never;
  if (!isMap(document.contents)) return undefined;
  if (!editList(document, list.key, list.items)) return undefined;
  editMap(document, map.key, map.set);
  if (document.contents.flow === true) return print(document);
  return [list.key, map.key].reduce(
    (before, key) => withSection(before, key, document.contents as unknown as YAMLMap),
    text,
  );
}

/** Aliases and anchors connect places of the text, so no part of it can be written alone. */
function isPlain(document: Document): boolean {
  let plain = true;
  visit(document, {
    Node(_, node) {
      if (isAlias(node) || ('anchor' in node && (node.anchor ?? '') !== '')) plain = false;
    },
  });
  return plain;
}

function editList(document: Document, key: string, items: readonly ListEdit[]): boolean {
  const found: unknown = document.get(key);
  if (items.length === 0) {
    document.delete(key);
    return true;
  }
  const list = findList(document, key, found);
  const before = list.items;
  const changed: unknown[] = [];
  for (const { was, set } of items) {
    const item = was === null ? new YAMLMap(document.schema) : before[was];
    if (!isMap(item)) return false;
    setAll(document, item, set);
    changed.push(item);
  }
  list.items = changed;
  return true;
}

/** A list that replaces those of other files is inside of a map. */
function findList(document: Document, key: string, found: unknown): YAMLSeq {
  const inner: unknown = isMap(found) ? found.get('replace') : found;
  if (isSeq(inner)) return inner;
  const list = new YAMLSeq(document.schema);
  document.set(key, list);
  return list;
}

function editMap(document: Document, key: string, set: MapEdit): void {
  const found: unknown = document.get(key);
  const map = isMap(found) ? found : new YAMLMap(document.schema);
  setAll(document, map, set);
  if (map.items.length === 0) document.delete(key);
  else if (map !== found) document.set(key, map);
}

/** A value that is the same keeps how it is written. */
function setAll(document: Document, map: YAMLMap, set: MapEdit): void {
  for (const [key, value] of Object.entries(set)) {
    const before: unknown = map.get(key, true);
    const was: unknown = isNode(before) ? before.toJS(document) : before;
    if (JSON.stringify(was ?? null) === JSON.stringify(value)) continue;
    if (value === null) map.delete(key);
    else if (isScalar(before) && typeof value !== 'object') before.value = value;
    else map.set(key, document.createNode(value));
  }
}

/** The text with this section as it is in the map now. */
function withSection(text: string, key: string, contents: YAMLMap): string {
  const pair = findPair(contents, key);
  const place = placeOf(text, key);
  if (pair === undefined) {
    if (place === undefined) return text;
    return text.slice(0, place.start) + text.slice(place.end).replace(/^\n+/, '');
  }
  const written = printPair(pair);
  if (place !== undefined) {
    const old = text.slice(place.start, place.end);
    const rest = /\s*$/.exec(old)?.[0] ?? '\n';
    return text.slice(0, place.start) + written + rest + text.slice(place.end);
  }
  const before = text.trimEnd();
  return `${before === '' ? '' : `${before}\n\n`}${written}\n`;
}

function findPair(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => nameOf(pair) === key);
}

function nameOf({ key }: Pair): unknown {
  return isScalar(key) ? key.value : key;
}

function placeOf(
  text: string,
  key: string,
): { readonly start: number; readonly end: number } | undefined {
  const { contents } = parseDocument(text);
  const pair = isMap(contents) ? findPair(contents, key) : undefined;
  const [name, value] = [pair?.key as Node | undefined, pair?.value as Node | null | undefined];
  const start = name?.range?.[0];
  const end = value?.range?.[2] ?? name?.range?.[2];
  return start === undefined || end === undefined ? undefined : { start, end };
}

function printPair(pair: Pair): string {
  const document = new Document();
  const map = new YAMLMap(document.schema);
  const { key } = pair;
  // They stand before the section, where nothing changes.
  if (isScalar(key)) [key.commentBefore, key.spaceBefore] = [null, false];
  map.items = [pair];
  document.contents = map as never;
  return print(document).trimEnd();
}

function print(document: Document): string {
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
