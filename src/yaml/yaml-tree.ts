/**
 * A configuration as values with their places, and the merge of such trees: scalars override, lists
 * append, maps merge key by key, prompts are joined.
 */
import type { Json } from '../base/json.ts';

/** The place of a value. Line 0 means a source without lines, such as a flag. */
export type TextPlace = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `file` is the name of a flag. */
  readonly isFlag?: true;
};

type Node = {
  readonly place: TextPlace;
  /** The value replaces the layers below. Merging keeps this mark, so that it is associative. */
  readonly fresh: boolean;
};

export type YamlTree =
  | (Node & { readonly kind: 'scalar'; readonly value: string | number | boolean | null })
  | (Node & { readonly kind: 'list'; readonly items: readonly YamlTree[] })
  | (Node & { readonly kind: 'map'; readonly entries: readonly YamlEntry[] })
  /** A key without a value. It changes nothing. */
  | (Node & { readonly kind: 'empty' });

export type YamlEntry = {
  readonly key: string;
  readonly place: TextPlace;
  readonly value: YamlTree;
};

export type YamlPath = readonly PropertyKey[];

/** The key whose texts are joined instead of overridden, so that the instructions of all layers apply. */
const JOINED = 'system_prompt';
const NOWHERE: TextPlace = { file: 'default', line: 0, column: 0 };

export function emptyMap(place: TextPlace): YamlTree {
  return { kind: 'map', place, fresh: false, entries: [] };
}

/** Layers are maps, the lowest first. A `null` removes the value of the layers below; see `withoutNulls`. */
export function mergeLayers(layers: readonly YamlTree[]): YamlTree {
  return layers.reduce((lower, upper) => merge(lower, upper, ''), emptyMap(NOWHERE));
}

function merge(lower: YamlTree, upper: YamlTree, key: string): YamlTree {
  if (upper.kind === 'empty') return lower;
  if (lower.kind === 'empty' || upper.fresh) return upper;
  const { place } = upper;
  const { fresh } = lower;
  if (lower.kind === 'list' && upper.kind === 'list')
    return { kind: 'list', place, fresh, items: [...lower.items, ...upper.items] };
  if (lower.kind === 'map' && upper.kind === 'map')
    return { kind: 'map', place, fresh, entries: mergeEntries(lower.entries, upper.entries) };
  if (key === JOINED && isText(lower) && isText(upper))
    return { kind: 'scalar', place, fresh, value: `${lower.value}\n\n${upper.value}` };
  return { ...upper, fresh: true };
}

function mergeEntries(
  lower: readonly YamlEntry[],
  upper: readonly YamlEntry[],
): readonly YamlEntry[] {
  const merged = new Map(lower.map((entry) => [entry.key, entry]));
  for (const { key, place, value } of upper) {
    const below = merged.get(key);
    const both = below === undefined ? value : merge(below.value, value, key);
    merged.set(key, { key, place, value: both });
  }
  return [...merged.values()];
}

function isText(tree: YamlTree): tree is YamlTree & { readonly value: string } {
  return tree.kind === 'scalar' && typeof tree.value === 'string';
}

/** Call it after the last merge: null and empty keys are removed, so that the default applies. */
export function withoutNulls(tree: YamlTree): YamlTree {
  if (tree.kind === 'list') return { ...tree, fresh: false, items: tree.items.map(withoutNulls) };
  if (tree.kind !== 'map') return tree;
  const entries = tree.entries
    .filter(({ value }) => !isNothing(value))
    .map((entry) => ({ ...entry, value: withoutNulls(entry.value) }));
  return { ...tree, fresh: false, entries };
}

function isNothing(tree: YamlTree): boolean {
  return tree.kind === 'empty' || (tree.kind === 'scalar' && tree.value === null);
}

/** The plain value. A key without a value is present and undefined, so that its name is still checked. */
export function toValue(tree: YamlTree): unknown {
  switch (tree.kind) {
    case 'scalar':
      return tree.value;
    case 'empty':
      return null;
    case 'list':
      return tree.items.map(toValue);
    case 'map':
      return Object.fromEntries(
        tree.entries.map(({ key, value }) => [key, isNothing(value) ? undefined : toValue(value)]),
      );
  }
}

export function fromJson(value: Json, place: TextPlace): YamlTree {
  const node = { place, fresh: false };
  if (value === null || typeof value !== 'object') return { ...node, kind: 'scalar', value };
  if (isArray(value))
    return { ...node, kind: 'list', items: value.map((item) => fromJson(item, place)) };
  const entries = Object.entries(value).map(([key, part]) => ({
    key,
    place,
    value: fromJson(part, place),
  }));
  return { ...node, kind: 'map', entries };
}

/** `Array.isArray` does not narrow readonly arrays. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function entryAt(tree: YamlTree, key: PropertyKey): YamlEntry | undefined {
  return tree.kind === 'map' ? tree.entries.find((entry) => entry.key === key) : undefined;
}

export function treeAt(tree: YamlTree, path: YamlPath): YamlTree | undefined {
  let at: YamlTree | undefined = tree;
  for (const step of path) {
    if (at === undefined) return undefined;
    at = at.kind === 'list' && typeof step === 'number' ? at.items[step] : entryAt(at, step)?.value;
  }
  return at;
}

/** `agents[0].env.PATH` */
export function pathText(path: YamlPath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

/** Every scalar, and every empty list or map, with its path. */
export function listLeaves(
  tree: YamlTree,
  path: YamlPath = [],
): { path: YamlPath; leaf: YamlTree }[] {
  if (tree.kind === 'list' && tree.items.length > 0)
    return tree.items.flatMap((item, index) => listLeaves(item, [...path, index]));
  if (tree.kind === 'map' && tree.entries.length > 0)
    return tree.entries.flatMap(({ key, value }) => listLeaves(value, [...path, key]));
  return [{ path, leaf: tree }];
}
