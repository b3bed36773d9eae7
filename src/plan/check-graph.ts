/** What is wrong with components together: they wait for each other in a circle, or two of them own the same file. */
import type { Component, Feature } from '../protocol/feature.ts';
import { allComponents, sharesProject } from '../protocol/feature.ts';
import { quote } from '../yaml/problem.ts';
import type { YamlPath } from '../yaml/yaml-tree.ts';
import type { FeatureGraph } from './feature-graph.ts';
import { findAncestors, findCycle, toGraph } from './feature-graph.ts';
import { findOverlap } from './patterns-overlap.ts';
import type { ReportFault } from './read-feature.ts';

type Places = {
  readonly pathOf: (id: string) => YamlPath;
  /** The key of the file that says what a component waits for. */
  readonly key: string;
  /** Components of which only one can ever run. */
  readonly exclude?: (one: string, other: string) => boolean;
};

export function checkGraph(feature: Feature, places: Places, report: ReportFault): void {
  const graph = toGraph(feature);
  const names = new Map(graph.components.map(({ id, name }) => [id, name]));
  const cycle = findCycle(graph);
  if (cycle !== undefined) {
    const ids = startAtName(cycle, graph);
    const words = ids.map((id) => names.get(id) ?? id).join(' waits for ');
    const path = [...places.pathOf(ids[0] ?? ''), places.key];
    report(path, `the components wait for each other: ${words}`);
    return;
  }
  checkOwners(feature, graph, places, report);
}

/** The same cycle, from a component that names the next one: its line can be corrected. */
function startAtName(cycle: readonly string[], { components }: FeatureGraph): readonly string[] {
  const named = new Map(components.map(({ id, dependsOn }) => [id, dependsOn]));
  const circle = cycle.slice(0, -1);
  // The order of the phases alone makes no cycle, so there is such a component.
  const start = circle.findIndex((id, nth) => named.get(id)?.includes(cycle[nth + 1] ?? ''));
  const turned = [...circle.slice(start), ...circle.slice(0, start)];
  return [...turned, ...turned.slice(0, 1)];
}

/** Steps of all comparisons: about a second. */
const STEPS_MAX = 60_000_000;
/** More pairs of owners than a person corrects at once. A thousand components have half a million. */
const OVERLAPS_MAX = 100;

/** Two components may own the same file only if one of them is complete before the other starts. */
function checkOwners(
  feature: Feature,
  graph: FeatureGraph,
  { pathOf, exclude }: Places,
  report: ReportFault,
): void {
  const ancestors = findAncestors(graph);
  const components = allComponents(feature);
  const effort = { steps: 0 };
  let overlaps = 0;
  for (const [nth, later] of components.entries())
    for (const earlier of components.slice(0, nth)) {
      const isOrdered =
        ancestors.get(later.id)?.has(earlier.id) === true ||
        ancestors.get(earlier.id)?.has(later.id) === true;
      if (isOrdered || !sharesProject(later, earlier)) continue;
      if (exclude?.(later.id, earlier.id) === true) continue;
      const overlap = findOverlap(later.files, earlier.files, effort);
      // The scheduler compares these at each decision.
      if (touchesMore(later) || touchesMore(earlier))
        findOverlap(later.touches, earlier.touches, effort);
      if (effort.steps > STEPS_MAX) {
        const path = [...pathOf(later.id), 'files'];
        report(path, 'the patterns take too long to compare: name folders, or use fewer * and {}');
        return;
      }
      if (overlap === undefined) continue;
      overlaps += 1;
      if (overlaps > OVERLAPS_MAX) return;
      const [own, other] = overlap;
      const both = own === other ? quote(own) : `${quote(own)} and ${quote(other)}`;
      report(
        [...pathOf(later.id), 'files', later.files.indexOf(own)],
        `${later.name} and ${earlier.name} can run at the same time and both own ${both}: let one depend on the other`,
      );
    }
}

function touchesMore({ files, touches }: Component): boolean {
  return touches.length > files.length;
}
