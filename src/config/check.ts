/** Holds a tree to the schema of configuration files. */
import { AGENT_CLIS } from '../protocol/agent-config.ts';
import { ConfigFile, configFileJsonSchema } from '../protocol/config-file.ts';
import { faultsOf, suggest } from '../yaml/faults.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote, where } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { pathText, toValue, treeAt } from '../yaml/tree.ts';
import type { Tree } from '../yaml/tree.ts';
import { checkTreeNames } from './check-tree-names.ts';

export type Checked =
  | { readonly kind: 'fits'; readonly config: ConfigFile }
  | { readonly kind: 'faulty'; readonly problems: readonly Problem[] };

export function checkTree(tree: Tree): Checked {
  const result = ConfigFile.safeParse(toValue(tree));
  if (result.success) return { kind: 'fits', config: result.data };
  const problems = faultsOf(tree, result.error.issues, configFileJsonSchema());
  return { kind: 'faulty', problems };
}

/** What no single file can know: that names are taken once, and that a name has its agent. */
export function checkNames(tree: Tree, config: ConfigFile): readonly Problem[] {
  const problems: Problem[] = [];
  const taken = new Map<string, string>();
  for (const [index, { id }] of config.agents.entries()) {
    const path = ['agents', index, 'id'];
    const { place } = treeAt(tree, path) ?? tree;
    const first = taken.get(id);
    if (first === undefined) taken.set(id, where(place));
    else
      problems.push({
        place,
        key: pathText(path),
        message: `${pathText(path)}: the name "${id}" is already taken at ${first}`,
      });
  }
  const builtIn = AGENT_CLIS.filter((cli) => cli !== 'custom');
  const known = [...taken.keys(), ...builtIn];
  const { default_agent: chosen } = config;
  if (chosen !== undefined && !known.includes(chosen)) {
    const meant = nearest(chosen, known);
    problems.push({
      place: (treeAt(tree, ['default_agent']) ?? tree).place,
      key: 'default_agent',
      message: `default_agent: no agent is called ${quote(chosen)}${suggest(meant)}`,
      nearest: meant,
    });
  }
  return [...problems, ...checkTreeNames(tree, config, known)];
}
