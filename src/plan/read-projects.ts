/** The projects of a feature file: their order, and which of them each component changes. */
import { posix } from 'node:path';
import type { FeatureProject } from '../protocol/feature.ts';
import type { FeatureFile } from '../settings/feature-file.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';
import type { YamlPath } from '../yaml/yaml-tree.ts';
import type { ReportFault } from './read-feature.ts';

/** Undefined: the feature is about one project. What is wrong about their paths on this machine is found later. */
export function readProjects(
  { projects, phases }: FeatureFile,
  report: ReportFault,
): readonly FeatureProject[] | undefined {
  if (projects === undefined) return undefined;
  const names = Object.keys(projects);
  const read = Object.entries(projects).map(([name, { path, depends_on = [] }]): FeatureProject => {
    const known = depends_on.filter((one, nth) => {
      const at = ['projects', name, 'depends_on', nth];
      if (one === name) report(at, 'a project cannot depend on itself');
      return one !== name && isKnown(one, names, at, report);
    });
    return { name, path, dependsOn: [...new Set(known)] };
  });
  reportPaths(read, report);
  const used = new Set(
    phases.flatMap(({ components }) => components.map(({ project }) => project)),
  );
  for (const name of names)
    if (!used.has(name))
      report(['projects', name], `no component names the project ${quote(name)}: leave it out`);
  const cycle = findCycle(read);
  if (cycle === undefined) return read;
  const [first = ''] = cycle;
  const words = cycle.map(quote).join(' depends on ');
  report(['projects', first, 'depends_on'], `the projects depend on each other: ${words}`);
  return read.map((one) => ({ ...one, dependsOn: [] }));
}

/** The project of a component. Undefined: the feature is about one, or there is a fault. */
export function projectOf(
  named: string | undefined,
  projects: readonly FeatureProject[] | undefined,
  path: YamlPath,
  report: ReportFault,
): string | undefined {
  const names = projects?.map(({ name }) => name);
  if (names === undefined) {
    if (named === undefined) return undefined;
    report([...path, 'project'], `the file has no projects, and names ${quote(named)}`);
    return undefined;
  }
  if (named === undefined) {
    report(path, `has no project: name one of ${names.join(', ')}`);
    return undefined;
  }
  return isKnown(named, names, [...path, 'project'], report) ? named : undefined;
}

function isKnown(
  name: string,
  names: readonly string[],
  at: YamlPath,
  report: ReportFault,
): boolean {
  if (names.includes(name)) return true;
  const meant = nearest(name, names);
  report(at, `no project is called ${quote(name)}${suggest(meant)}`, meant);
  return false;
}

/** As far as the texts show it. Links and repositories are looked at when the feature starts. */
function reportPaths(projects: readonly FeatureProject[], report: ReportFault): void {
  for (const [nth, { name, path }] of projects.entries())
    for (const other of projects.slice(0, nth)) {
      const [own, before] = [asFolder(path), asFolder(other.path)];
      const at = ['projects', name, 'path'];
      if (own === before)
        report(at, `the projects ${quote(other.name)} and ${quote(name)} have the same path`);
      else if (own.startsWith(before)) report(at, lies(name, other.name));
      else if (before.startsWith(own)) report(at, lies(other.name, name));
    }
}

export function lies(inner: string, outer: string): string {
  return `the project ${quote(inner)} lies in the project ${quote(outer)}: make them one project`;
}

/** A folder that no path can leave by the `..` that people write. */
const SOMEWHERE = '/-'.repeat(50);

function asFolder(path: string): string {
  return `${posix.resolve(SOMEWHERE, path)}/`;
}

function findCycle(projects: readonly FeatureProject[]): readonly string[] | undefined {
  for (const { name } of projects) {
    const way = wayTo(name, name, projects, new Set());
    if (way !== undefined) return [name, ...way];
  }
  return undefined;
}

/** The names after `from` until `goal` is reached. At most twenty projects, so plain recursion is enough. */
function wayTo(
  from: string,
  goal: string,
  projects: readonly FeatureProject[],
  seen: Set<string>,
): readonly string[] | undefined {
  for (const next of projects.find(({ name }) => name === from)?.dependsOn ?? []) {
    if (next === goal) return [goal];
    if (seen.has(next)) continue;
    seen.add(next);
    const rest = wayTo(next, goal, projects, seen);
    if (rest !== undefined) return [next, ...rest];
  }
  return undefined;
}

/** By name: all projects that come before it, directly or not. */
export function projectsBefore(
  projects: readonly FeatureProject[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const before = (name: string, found: Set<string>): Set<string> => {
    for (const one of projects.find((project) => project.name === name)?.dependsOn ?? [])
      if (!found.has(one)) before(one, found.add(one));
    return found;
  };
  return new Map(projects.map(({ name }) => [name, before(name, new Set())]));
}
