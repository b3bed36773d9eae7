/** What is wrong with the interfaces of a feature: who locks them, who uses them, and who else claims their files. */
import type { Component, Feature } from '../protocol/feature.ts';
import { allComponents, interfaceOwners } from '../protocol/feature.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';
import type { YamlPath } from '../yaml/yaml-tree.ts';
import { findAncestors, toGraph } from './feature-graph.ts';
import type { ReportFault } from './read-feature.ts';

export function checkInterfaces(
  feature: Feature,
  pathOf: (id: string) => YamlPath,
  report: ReportFault,
): void {
  const owners = ownersByProject(feature);
  reportUnknownUses(feature, owners, pathOf, report);
  for (const { id, name, files, interfaces, project } of allComponents(feature)) {
    if (interfaces !== undefined) continue;
    for (const [nth, file] of files.entries())
      if (owners(project).has(file))
        report(
          [...pathOf(id), 'files', nth],
          `${quote(file)} is an interface, and ${name} could not change it: interfaces are locked`,
        );
  }
}

type Owners = (project: string | undefined) => ReadonlyMap<string, Component>;

/** Each is collected once: a feature has a thousand components. */
function ownersByProject(feature: Feature): Owners {
  const known = new Map<string | undefined, ReadonlyMap<string, Component>>();
  return (project) => {
    const found = known.get(project) ?? interfaceOwners(feature, project);
    known.set(project, found);
    return found;
  };
}

function reportUnknownUses(
  feature: Feature,
  owners: Owners,
  pathOf: (id: string) => YamlPath,
  report: ReportFault,
): void {
  const before = findAncestors(toGraph(feature));
  for (const { id, name, uses = [], project } of allComponents(feature))
    for (const [nth, path] of uses.entries()) {
      const owner = owners(project).get(path);
      const at = [...pathOf(id), 'uses', nth];
      const meant = nearest(path, [...interfaceOwners(feature).keys()]);
      if (owner === undefined)
        report(at, `no phase has the interface ${quote(path)}${suggest(meant)}`, meant);
      else if (before.get(id)?.has(owner.id) !== true)
        report(at, `${name} does not wait for ${owner.name}, which locks ${quote(path)}`);
    }
}
