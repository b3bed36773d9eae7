/** What no single value of the tree can know: that names are taken once, that there is one root, that agents are known, and that nobody reaches what its project does not. */
import type { WrittenConfig } from '../settings/config-file.ts';
import { hostAndPort } from '../settings/host-and-port.ts';
import { suggest } from '../yaml/schema-faults.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote, describePlace } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { pathText, treeAt } from '../yaml/yaml-tree.ts';
import type { YamlPath, YamlTree } from '../yaml/yaml-tree.ts';

/** An agent or a supervisor, as it is written. */
type Entry = {
  readonly name: string;
  readonly kind?: string | undefined;
  readonly agent?: string | undefined;
  readonly sandbox?: { readonly network?: readonly string[] | undefined } | undefined;
  readonly children?: readonly Entry[] | undefined;
};

export function checkTreeNames(
  tree: YamlTree,
  written: WrittenConfig,
  agents: readonly string[],
): readonly Problem[] {
  const problems: Problem[] = [];
  const names = new Map<string, YamlPath>();
  let root: YamlPath | undefined;
  const reached = (written.sandbox?.network ?? []).map(hostAndPort);
  const object = (path: YamlPath, said: string, meant?: string): void =>
    void problems.push({
      place: (treeAt(tree, path) ?? tree).place,
      key: pathText(path),
      message: `${pathText(path)}: ${said}`,
      ...(meant !== undefined && { nearest: meant }),
    });
  const walk = (entries: readonly Entry[], above: YamlPath): void => {
    for (const [index, { name, kind, agent, sandbox, children }] of entries.entries()) {
      const path = [...above, 'children', index];
      const first = names.get(name);
      if (first === undefined) names.set(name, [...path, 'name']);
      else
        object([...path, 'name'], `the name "${name}" is already taken at ${place(tree, first)}`);
      if (kind === 'root' && root !== undefined)
        object([...path, 'kind'], `there is a root already, at ${place(tree, root)}`);
      if (kind === 'root') root ??= [...path, 'kind'];
      if (agent !== undefined && !isKnown(agent, agents)) {
        const meant = nearest(agent, agents);
        object([...path, 'agent'], `no agent is called ${quote(agent)}${suggest(meant)}`, meant);
      }
      for (const [at, host] of (sandbox?.network ?? []).entries())
        if (!reached.includes(hostAndPort(host)))
          object(
            [...path, 'sandbox', 'network', at],
            `${quote(host)} is none of the hosts in sandbox.network, which no agent goes beyond`,
          );
      if (children !== undefined) walk(children, path);
    }
  };
  walk((written.tree?.children ?? []) as readonly Entry[], ['tree']);
  return problems;
}

function place(tree: YamlTree, path: YamlPath): string {
  return describePlace((treeAt(tree, path) ?? tree).place);
}

/** `scripted:NAME` is the scripted agent with another of its programs. */
function isKnown(id: string, agents: readonly string[]): boolean {
  return agents.includes(id) || id.startsWith('scripted:');
}
