/** Reads the text of a feature file. Refuses it with every line that is wrong. */
import { FeatureFile, featureFileJsonSchema } from '../settings/feature-file.ts';
import type { Problem } from '../yaml/problem.ts';
import { yamlRefusal } from '../yaml/problem.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { schemaFaults } from '../yaml/schema-faults.ts';
import type { YamlPath, YamlTree } from '../yaml/yaml-tree.ts';
import { pathText, toValue, treeAt } from '../yaml/yaml-tree.ts';
import type { Feature } from '../protocol/feature.ts';
import type { PlacedFeature } from './read-feature.ts';
import { readPlaced } from './read-feature.ts';

const INVALID = {
  code: 'feature.invalid',
  hint: 'Correct these lines. To see every key of such a file: supervisor schema feature-file',
} as const;

/** `file` is its name in messages. */
export function parseFeature(text: string, file: string): Feature {
  return parsePlaced(text, file).feature;
}

/** The same, with the place of each component in the file, and the files whose import makes no dependency, by id. */
export function parsePlaced(
  text: string,
  file: string,
): PlacedFeature & { readonly external: ReadonlyMap<string, readonly string[]> } {
  const { tree, problems } = readYaml(text, (line, column) => ({ file, line, column }));
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
  const parsed = FeatureFile.safeParse(toValue(tree));
  if (!parsed.success)
    throw yamlRefusal(schemaFaults(tree, parsed.error.issues, featureFileJsonSchema()), INVALID);
  const faults: Problem[] = [];
  const placed = readPlaced(parsed.data, (path, message, nearest) =>
    faults.push({ place: placeOf(tree, path), key: pathText(path), message, nearest }),
  );
  if (faults.length > 0) throw yamlRefusal(faults, INVALID);
  const external = new Map(
    [...placed.places].map(([id, [, phase, , component]]) => {
      const found = parsed.data.phases[Number(phase)]?.components[Number(component)];
      return [id, found?.external ?? []] as const;
    }),
  );
  return { ...placed, external };
}

/** The place of a value, or of the nearest one around it. */
function placeOf(tree: YamlTree, path: YamlPath): Problem['place'] {
  for (let length = path.length; length > 0; length -= 1) {
    const found = treeAt(tree, path.slice(0, length));
    if (found !== undefined) return found.place;
  }
  return tree.place;
}
