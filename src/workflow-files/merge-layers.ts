/**
 * Merges the files of a workflow. Maps merge key by key, and the lists of hooks and disabled steps append. Inside a step
 * a list replaces the inherited one, because a person who names two reviewers means those two.
 */
import { emptyMap, entryAt, mergeLayers, withoutNulls } from '../yaml/yaml-tree.ts';
import type { YamlEntry, YamlTree } from '../yaml/yaml-tree.ts';

/** What a step is follows from one of these, so a layer that sets one of them replaces the others. */
const KIND_KEYS = ['role', 'roles', 'gates', 'command'];
const KIND_WORDS = [...KIND_KEYS, 'kind', 'type', 'gate_type', 'parallel', 'agree'];

/** `trees` are valid files, the most distant ancestor first. */
export function mergeWorkflow(trees: readonly YamlTree[]): YamlTree {
  const layers = trees.flatMap(splitOverrides);
  return withoutNulls(
    layers.reduce(
      (lower, upper) => mergeLayers([withoutReplacedKinds(lower, upper), upper]),
      emptyMap({ file: 'default', line: 0, column: 0 }),
    ),
  );
}

/** `workflow` of a configuration file in the form of a workflow file. */
export function toLayer(chosen: YamlTree): YamlTree {
  if (chosen.kind !== 'map') return emptyMap(chosen.place);
  return {
    ...chosen,
    entries: chosen.entries
      .filter(({ key }) => key !== 'template')
      .map((entry) => (entry.key === 'overrides' ? { ...entry, key: 'steps' } : entry)),
  };
}

/** Overrides become one more layer of steps. */
function splitOverrides(tree: YamlTree): readonly YamlTree[] {
  if (tree.kind !== 'map') return [tree];
  const own = tree.entries.filter(({ key }) => !['name', 'extends', 'overrides'].includes(key));
  const overrides = entryAt(tree, 'overrides');
  const layers = [{ ...tree, entries: own }];
  if (overrides !== undefined) layers.push({ ...tree, entries: [{ ...overrides, key: 'steps' }] });
  return layers.map(replacingLists);
}

function replacingLists(tree: YamlTree): YamlTree {
  return mapSteps(tree, (step) =>
    mapEntries(step, ({ value, ...entry }) => ({
      ...entry,
      value: value.kind === 'list' ? { ...value, fresh: true } : value,
    })),
  );
}

function withoutReplacedKinds(lower: YamlTree, upper: YamlTree): YamlTree {
  const above = entryAt(upper, 'steps')?.value;
  if (above?.kind !== 'map') return lower;
  return mapSteps(lower, (step, id) => {
    const chosen = entryAt(above, id)?.value;
    const setsKind = KIND_KEYS.some((key) => {
      const value = chosen === undefined ? undefined : entryAt(chosen, key)?.value;
      return value !== undefined && value.kind !== 'empty';
    });
    if (!setsKind || chosen === undefined || step.kind !== 'map') return step;
    const same = KIND_KEYS.filter((key) => entryAt(chosen, key) !== undefined);
    if (same.every((key) => entryAt(step, key) !== undefined)) return step;
    return { ...step, entries: step.entries.filter(({ key }) => !KIND_WORDS.includes(key)) };
  });
}

function mapSteps(tree: YamlTree, change: (step: YamlTree, id: string) => YamlTree): YamlTree {
  return mapEntries(tree, (entry) =>
    entry.key === 'steps'
      ? {
          ...entry,
          value: mapEntries(entry.value, (step) => ({
            ...step,
            value: change(step.value, step.key),
          })),
        }
      : entry,
  );
}

function mapEntries(tree: YamlTree, change: (entry: YamlEntry) => YamlEntry): YamlTree {
  return tree.kind === 'map' ? { ...tree, entries: tree.entries.map(change) } : tree;
}
