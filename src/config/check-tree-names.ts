/** Checks across the whole tree: unique names, one root, known agents, and no host that the project does not allow. */
import type { WrittenConfig } from '../settings/config-file.ts';
import { hostAndPort } from '../settings/host-and-port.ts';
import { quote, describePlace } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { pathText, treeAt } from '../yaml/yaml-tree.ts';
import type { YamlPath, YamlTree } from '../yaml/yaml-tree.ts';
import { agentNameFault } from './agent-name-fault.ts';

/** An agent or a supervisor in its written form. */
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
  const allowedHosts = (written.sandbox?.network ?? []).map(hostAndPort);
  const report = (path: YamlPath, problem: string, suggestion?: string): void =>
    void problems.push({
      place: (treeAt(tree, path) ?? tree).place,
      key: pathText(path),
      message: `${pathText(path)}: ${problem}`,
      ...(suggestion !== undefined && { nearest: suggestion }),
    });
  const walk = (entries: readonly Entry[], parentPath: YamlPath): void => {
    for (const [index, { name, kind, agent, sandbox, children }] of entries.entries()) {
      const path = [...parentPath, 'children', index];
      const first = names.get(name);
      if (first === undefined) names.set(name, [...path, 'name']);
      else
        report(
          [...path, 'name'],
          `the name "${name}" is already taken at ${describePath(tree, first)}`,
        );
      if (kind === 'root' && root !== undefined)
        report([...path, 'kind'], `there is already a root at ${describePath(tree, root)}`);
      if (kind === 'root') root ??= [...path, 'kind'];
      const fault = agent === undefined ? undefined : agentNameFault(agent, agents);
      if (fault !== undefined) report([...path, 'agent'], fault.problem, fault.nearest);
      for (const [at, host] of (sandbox?.network ?? []).entries())
        if (!allowedHosts.includes(hostAndPort(host)))
          report(
            [...path, 'sandbox', 'network', at],
            `${quote(host)} is not in sandbox.network, the hosts that the agents of the project can reach`,
          );
      if (children !== undefined) walk(children, path);
    }
  };
  walk((written.tree?.children ?? []) as readonly Entry[], ['tree']);
  return problems;
}

function describePath(tree: YamlTree, path: YamlPath): string {
  return describePlace((treeAt(tree, path) ?? tree).place);
}
