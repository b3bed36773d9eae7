/** Checks a tree against the schema of configuration files. */
import { AGENT_CLIS } from '../settings/agent-config.ts';
import { ConfigFile, configFileJsonSchema } from '../settings/config-file.ts';
import type { WrittenConfig } from '../settings/config-file.ts';
import type { Settings } from '../settings/settings.ts';
import { schemaFaults } from '../yaml/schema-faults.ts';
import { looksSecret, describePlace } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { pathText, toValue, treeAt } from '../yaml/yaml-tree.ts';
import type { YamlPath, YamlTree } from '../yaml/yaml-tree.ts';
import type { AgentNameFault } from './agent-name-fault.ts';
import { agentNameFault, scriptedNameFault } from './agent-name-fault.ts';
import { checkGates } from './check-gates.ts';
import { checkPrograms } from './check-programs.ts';
import { checkTreeNames } from './check-tree-names.ts';

export type CheckedConfig =
  | { readonly kind: 'fits'; readonly written: WrittenConfig; readonly settings: Settings }
  | { readonly kind: 'faulty'; readonly problems: readonly Problem[] };

export function checkConfigTree(tree: YamlTree): CheckedConfig {
  const written = toValue(tree);
  const result = ConfigFile.safeParse(written);
  if (result.success)
    return { kind: 'fits', written: written as WrittenConfig, settings: result.data };
  const problems = schemaFaults(tree, result.error.issues, configFileJsonSchema());
  return { kind: 'faulty', problems };
}

/** Checks across files: names of agents and gates are unique, and every setting that names an agent names one. */
export function checkConfigNames(tree: YamlTree, written: WrittenConfig): readonly Problem[] {
  const ids = (written.agents ?? []).map(({ id }) => id);
  const gates = (written.gates ?? []).map(({ name }) => name);
  const known = [...ids, ...AGENT_CLIS.filter((cli) => cli !== 'custom')];
  return [
    ...takenNames(tree, ids, (index) => ['agents', index, 'id']),
    ...takenNames(tree, gates, (index) => ['gates', index, 'name']),
    ...checkScriptedIds(tree, written),
    ...checkNamedAgents(tree, written, known),
    ...checkFiles(tree, written),
    ...checkPrograms(tree, written),
    ...checkGates(tree, written),
    ...checkTreeNames(tree, written, known),
  ];
}

/** Each name that an earlier entry has already. */
function takenNames(
  tree: YamlTree,
  names: readonly string[],
  pathOf: (index: number) => readonly (string | number)[],
): readonly Problem[] {
  const taken = new Map<string, string>();
  return names.flatMap((name, index) => {
    const path = pathOf(index);
    const { place } = treeAt(tree, path) ?? tree;
    const first = taken.get(name);
    if (first === undefined) {
      taken.set(name, describePlace(place));
      return [];
    }
    const message = `${pathText(path)}: the name "${name}" is already taken at ${first}`;
    return [{ place, key: pathText(path), message }];
  });
}

/** `default_agent`, and the agents that `selection` names. */
function checkNamedAgents(
  tree: YamlTree,
  { default_agent: chosen, selection = {} }: WrittenConfig,
  known: readonly string[],
): readonly Problem[] {
  const { fallbacks = {}, pinned } = selection;
  const named: (readonly [path: readonly string[], id: string | undefined])[] = [
    [['default_agent'], chosen],
    [['selection', 'pinned'], pinned],
    ...Object.entries(fallbacks).flatMap(([from, to]) => {
      const path = ['selection', 'fallbacks', from];
      return [[path, from] as const, [path, to] as const];
    }),
  ];
  return named.flatMap(([path, id]) => {
    const fault = id === undefined ? undefined : agentNameFault(id, known);
    return fault === undefined ? [] : [nameProblem(tree, path, fault)];
  });
}

/** The id of a scripted agent selects its program. */
function checkScriptedIds(tree: YamlTree, { agents = [] }: WrittenConfig): readonly Problem[] {
  return agents.flatMap(({ id, cli }, index) => {
    const fault = cli === 'scripted' ? scriptedNameFault(id) : undefined;
    return fault === undefined ? [] : [nameProblem(tree, ['agents', index, 'id'], fault)];
  });
}

function nameProblem(
  tree: YamlTree,
  path: YamlPath,
  { problem, nearest }: AgentNameFault,
): Problem {
  return {
    place: (treeAt(tree, path) ?? tree).place,
    key: pathText(path),
    message: `${pathText(path)}: ${problem}`,
    nearest,
  };
}

/** The journal stores such a file with each run, and the agent sees it. */
function checkFiles(tree: YamlTree, { agents = [] }: WrittenConfig): readonly Problem[] {
  return agents.flatMap(({ files = {} }, index) =>
    Object.entries(files).flatMap(([name, content]) => {
      if (!looksSecret('', content)) return [];
      const path = ['agents', index, 'files', name];
      const problem = 'it contains a key: write {gateway_key} instead, and set the key in env';
      return [
        {
          place: (treeAt(tree, path) ?? tree).place,
          key: pathText(path),
          message: `${pathText(path)}: ${problem}`,
        },
      ];
    }),
  );
}
