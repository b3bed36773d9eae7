/** Reads the text of a feature file. Refuses it with every line that is wrong. */
import { FeatureFile, featureFileJsonSchema } from '../settings/feature-file.ts';
import { GraphFile, graphFileJsonSchema } from '../settings/graph-file.ts';
import { isRecord } from '../base/json.ts';
import type { Problem } from '../yaml/problem.ts';
import { yamlRefusal } from '../yaml/problem.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { schemaFaults } from '../yaml/schema-faults.ts';
import type { YamlPath, YamlTree } from '../yaml/yaml-tree.ts';
import { pathText, toValue, treeAt } from '../yaml/yaml-tree.ts';
import type { Feature } from '../protocol/feature.ts';
import type { PlacedFeature, ReportFault } from './read-feature.ts';
import { readPlacedGraph } from './graph/read-graph.ts';
import { readPlaced } from './read-feature.ts';

const INVALID = {
  code: 'feature.invalid',
  hint: 'Correct these lines. To see every key of such a file: supervisor schema feature-file',
} as const;

const INVALID_GRAPH = {
  code: 'feature.invalid',
  hint: 'Correct these lines. To see every key of such a file: supervisor schema graph-file',
} as const;

/** `file` is its name in messages. */
export function parseFeature(text: string, file: string): Feature {
  return parsePlaced(text, file).feature;
}

export type ParsedFeature = PlacedFeature & {
  /** By id: files whose import makes no dependency. */
  readonly external: ReadonlyMap<string, readonly string[]>;
  /** Refuses the file for what was found outside of it, with its lines. Does nothing if nothing was reported. */
  readonly refuseIf: (find: (report: ReportFault) => Promise<void>) => Promise<void>;
};

/** The same, with the place of each component in the file. */
export function parsePlaced(text: string, file: string): ParsedFeature {
  const { tree, problems } = readYaml(text, (line, column) => ({ file, line, column }));
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
  const value = toValue(tree);
  const refuseIf: ParsedFeature['refuseIf'] = async (find) => {
    const found: Problem[] = [];
    await find(reportTo(tree, found));
    if (found.length > 0) throw yamlRefusal(found, INVALID);
  };
  if (isGraph(value)) return { ...parseGraph(tree, value), external: new Map(), refuseIf };
  const parsed = FeatureFile.safeParse(value);
  if (!parsed.success)
    throw yamlRefusal(schemaFaults(tree, parsed.error.issues, featureFileJsonSchema()), INVALID);
  const faults: Problem[] = [];
  const placed = readPlaced(parsed.data, reportTo(tree, faults));
  if (faults.length > 0) throw yamlRefusal(faults, INVALID);
  const external = new Map(
    [...placed.places].map(([id, [, phase, , component]]) => {
      const found = parsed.data.phases[Number(phase)]?.components[Number(component)];
      return [id, found?.external ?? []] as const;
    }),
  );
  return { ...placed, external, refuseIf };
}

function reportTo(tree: YamlTree, faults: Problem[]): ReportFault {
  return (path, message, nearest) =>
    faults.push({ place: placeOf(tree, path), key: pathText(path), message, nearest });
}

/** The file of a graph has nodes in place of phases. */
function isGraph(value: unknown): boolean {
  return isRecord(value) && value['nodes'] !== undefined && value['phases'] === undefined;
}

function parseGraph(tree: YamlTree, value: unknown): PlacedFeature {
  const parsed = GraphFile.safeParse(value);
  if (!parsed.success) {
    const found = schemaFaults(tree, parsed.error.issues, graphFileJsonSchema());
    throw yamlRefusal(found, INVALID_GRAPH);
  }
  const faults: Problem[] = [];
  const placed = readPlacedGraph(parsed.data, reportTo(tree, faults));
  if (faults.length > 0) throw yamlRefusal(faults, INVALID_GRAPH);
  return placed;
}

/** The place of a value, or of the nearest one around it. */
function placeOf(tree: YamlTree, path: YamlPath): Problem['place'] {
  for (let length = path.length; length > 0; length -= 1) {
    const found = treeAt(tree, path.slice(0, length));
    if (found !== undefined) return found.place;
  }
  return tree.place;
}
