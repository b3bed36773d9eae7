/** Checks a tree against the schema of configuration files. */
import { AGENT_CLIS } from '../settings/agent-config.ts';
import { ConfigFile, configFileJsonSchema } from '../settings/config-file.ts';
import type { WrittenConfig } from '../settings/config-file.ts';
import type { Settings } from '../settings/settings.ts';
import { schemaFaults, suggest } from '../yaml/schema-faults.ts';
import { nearest } from '../yaml/nearest.ts';
import { looksSecret, quote, describePlace } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { pathText, toValue, treeAt } from '../yaml/yaml-tree.ts';
import type { YamlTree } from '../yaml/yaml-tree.ts';
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

/** Checks across files: agent ids are unique, and `default_agent` names an agent. */
export function checkConfigNames(tree: YamlTree, written: WrittenConfig): readonly Problem[] {
  const problems: Problem[] = [];
  const taken = new Map<string, string>();
  for (const [index, { id }] of (written.agents ?? []).entries()) {
    const path = ['agents', index, 'id'];
    const { place } = treeAt(tree, path) ?? tree;
    const first = taken.get(id);
    if (first === undefined) taken.set(id, describePlace(place));
    else
      problems.push({
        place,
        key: pathText(path),
        message: `${pathText(path)}: the name "${id}" is already taken at ${first}`,
      });
  }
  const builtIn = AGENT_CLIS.filter((cli) => cli !== 'custom');
  const known = [...taken.keys(), ...builtIn];
  const { default_agent: chosen } = written;
  if (chosen !== undefined && !known.includes(chosen)) {
    const suggestion = nearest(chosen, known);
    problems.push({
      place: (treeAt(tree, ['default_agent']) ?? tree).place,
      key: 'default_agent',
      message: `default_agent: no agent is called ${quote(chosen)}${suggest(suggestion)}`,
      nearest: suggestion,
    });
  }
  return [...problems, ...checkFiles(tree, written), ...checkTreeNames(tree, written, known)];
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
