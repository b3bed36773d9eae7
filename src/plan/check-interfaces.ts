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
  const owners = interfaceOwners(feature);
  if (owners.size === 0) {
    reportUnknownUses(feature, owners, pathOf, report);
    return;
  }
  reportTwiceLocked(feature, pathOf, report);
  reportUnknownUses(feature, owners, pathOf, report);
  for (const { id, name, files, interfaces } of allComponents(feature)) {
    if (interfaces !== undefined) continue;
    for (const [nth, file] of files.entries())
      if (owners.has(file))
        report(
          [...pathOf(id), 'files', nth],
          `${quote(file)} is an interface, and ${name} could not change it: interfaces are locked`,
        );
  }
}

function reportTwiceLocked(
  feature: Feature,
  pathOf: (id: string) => YamlPath,
  report: ReportFault,
): void {
  const seen = new Set<string>();
  for (const { id, interfaces = [] } of allComponents(feature))
    for (const [nth, { path }] of interfaces.entries()) {
      if (seen.has(path))
        report([...pathOf(id), nth, 'file'], `the interface ${quote(path)} is there twice`);
      seen.add(path);
    }
}

function reportUnknownUses(
  feature: Feature,
  owners: ReadonlyMap<string, Component>,
  pathOf: (id: string) => YamlPath,
  report: ReportFault,
): void {
  const before = findAncestors(toGraph(feature));
  for (const { id, name, uses = [] } of allComponents(feature))
    for (const [nth, path] of uses.entries()) {
      const owner = owners.get(path);
      const at = [...pathOf(id), 'uses', nth];
      const meant = nearest(path, [...owners.keys()]);
      if (owner === undefined)
        report(at, `no phase has the interface ${quote(path)}${suggest(meant)}`, meant);
      else if (before.get(id)?.has(owner.id) !== true)
        report(at, `${name} does not wait for ${owner.name}, which locks ${quote(path)}`);
    }
}
