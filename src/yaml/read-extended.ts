/** Reads a file and those that it extends by name, the most distant one first. */
import type { Refusal } from '../base/errors.ts';
import { nearest } from './nearest.ts';
import type { Problem } from './problem.ts';
import { quote, yamlRefusal } from './problem.ts';
import { suggest } from './schema-faults.ts';
import type { YamlTree } from './yaml-tree.ts';
import { entryAt, treeAt } from './yaml-tree.ts';

type NamedFile = { readonly name: string; readonly file: string };

export type ExtendedLayer<Placed> = { readonly placed: Placed; readonly tree: YamlTree };

export type ExtendedFiles<Placed> = {
  /** Every file, nearest first. Parents are looked up here. */
  readonly all: readonly Placed[];
  readonly read: (placed: Placed) => Promise<YamlTree>;
  /** What a file defines, such as `role`. */
  readonly noun: string;
  readonly invalid: Parameters<typeof yamlRefusal>[1];
};

const ANCESTORS_MAX = 10;

export async function readExtended<Placed extends NamedFile>(
  own: Placed,
  { all, read, noun, invalid }: ExtendedFiles<Placed>,
): Promise<readonly ExtendedLayer<Placed>[]> {
  const layers: ExtendedLayer<Placed>[] = [];
  let placed = own;
  for (;;) {
    const tree = await read(placed);
    layers.unshift({ placed, tree });
    const parent = entryAt(tree, 'extends')?.value;
    if (parent?.kind !== 'scalar' || parent.value === null) return layers;
    const refuse = (message: string, meant?: string): Refusal =>
      yamlRefusal([{ place: parent.place, key: 'extends', message, nearest: meant }], invalid);
    const parentName = String(parent.value);
    const next = findParent(placed, parentName, all);
    if (next === undefined) {
      const names = all.map(({ name }) => name);
      const meant = nearest(parentName, names);
      throw refuse(`extends: no ${noun} is called ${quote(parentName)}${suggest(meant)}`, meant);
    }
    if (layers.some((layer) => layer.placed.file === next.file)) {
      const cycle = [...layers.map((layer) => layer.placed.name).toReversed(), next.name];
      throw refuse(`extends: a cycle: ${cycle.join(' → ')}`);
    }
    if (layers.length >= ANCESTORS_MAX)
      throw refuse(`extends: more than ${ANCESTORS_MAX} ${noun}s deep`);
    placed = next;
  }
}

/** A file that extends its own name extends the one that it overrides. */
function findParent<Placed extends NamedFile>(
  child: Placed,
  name: string,
  all: readonly Placed[],
): Placed | undefined {
  const behind = name === child.name ? all.slice(all.indexOf(child) + 1) : all;
  return behind.find((one) => one.name === name) ?? (name === child.name ? child : undefined);
}

/** The problem of a file whose key `name` differs from its own name. */
export function misnamedFault(tree: YamlTree, name: string): readonly Problem[] {
  const field = treeAt(tree, ['name']);
  if (field?.kind !== 'scalar' || typeof field.value !== 'string' || field.value === name)
    return [];
  const message = `name: expected ${quote(name)}, the name of the file`;
  return [{ place: field.place, key: 'name', message }];
}
