/** Turns a feature file into a feature. Every fault is reported at once, with the line that has to change. */
import { plural } from '../base/text.ts';
import type { FeatureFile } from '../settings/feature-file.ts';
import { ALL_PATTERNS_MAX, COMPONENTS_MAX } from '../settings/feature-file.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';
import type { YamlPath } from '../yaml/yaml-tree.ts';
import type { Component, Feature, FeaturePhase } from '../protocol/feature.ts';
import { allComponents } from '../protocol/feature.ts';
import { checkGraph } from './check-graph.ts';
import { checkInterfaces } from './check-interfaces.ts';
import { projectOf, readProjects } from './read-projects.ts';

/** Adds a fault at a path of the file. */
export type ReportFault = (path: YamlPath, message: string, nearest?: string) => void;

type PlacedPhase = { readonly file: FeatureFile['phases'][number]; readonly path: YamlPath };

/** A feature, and where each component stands in its file, by its id. */
export type PlacedFeature = {
  readonly feature: Feature;
  readonly places: ReadonlyMap<string, YamlPath>;
};

/** The result is complete only if nothing was reported. */
export function readPlaced(file: FeatureFile, report: ReportFault): PlacedFeature {
  const phases = orderPhases(file, report);
  const isTooLarge = checkCounts(phases, report);
  reportTwiceLocked(phases, report);
  const projects = readProjects(file, report);
  const names = phases.flatMap(({ file: phase }) =>
    phase.components.map(({ id }) => `${phase.id}.${id}`),
  );
  const placedAt = new Map<string, YamlPath>();
  const idOf = (phase: number, component: number): string =>
    `${file.id}-PH${phase + 1}-C${component + 1}`;
  const ids = new Map<string, string>(
    phases.flatMap(({ file: phase }, p) =>
      phase.components.map(({ id }, c) => [`${phase.id}.${id}`, idOf(p, c)]),
    ),
  );
  const toPhase = ({ file: phase, path }: PlacedPhase, p: number): FeaturePhase => {
    reportTwice(phase.components, [...path, 'components'], 'component', report);
    const components = phase.components.map((component, c): Component => {
      const own = [...path, 'components', c];
      const id = idOf(p, c);
      placedAt.set(id, own);
      const dependsOn = (component.depends_on ?? []).flatMap((reference, nth) => {
        const at = [...own, 'depends_on', nth];
        const name = findReference(reference, phase.id, names, (message, meant) =>
          report(at, message, meant),
        );
        const found = name === undefined ? undefined : ids.get(name);
        if (found === id) report(at, 'a component cannot depend on itself');
        return found === undefined || found === id ? [] : [found];
      });
      const { files, touches = [], title = component.id } = component;
      const project = projectOf(component.project, projects, own, report);
      const role = component.role ?? file.projects?.[project ?? '']?.role ?? null;
      const uses = component.uses ?? phase.interfaces?.map((one) => one.file) ?? [];
      return {
        ...{ id, name: `${phase.id}.${component.id}`, title },
        task: component.task ?? title,
        files,
        touches: [...files, ...touches],
        dependsOn: [...new Set(dependsOn)],
        role,
        ...(uses.length === 0 ? {} : { uses }),
        ...(project === undefined ? {} : { project }),
      };
    });
    const { id: name, title = name, gate = 'all-complete' } = phase;
    return { id: `${file.id}-PH${p + 1}`, name, title, gate, components };
  };
  const { id, title, description = '', workflow = null } = file;
  const built = phases.map(toPhase);
  const withLocks = built.map((one, p): FeaturePhase => {
    const { file: phase, path } = phases[p] ?? missing(one.id);
    const locks = interfacesOf(phase, idOf(p, INTERFACES), allComponents({ phases: built }));
    for (const lock of locks) placedAt.set(lock.id, [...path, 'interfaces']);
    return { ...one, components: [...locks, ...one.components] };
  });
  const feature: Feature = {
    ...{ id, title, description, workflow, phases: withLocks },
    ...(projects === undefined ? {} : { projects }),
  };
  checkInterfaces(feature, (id) => placedAt.get(id) ?? [], report);
  if (!isTooLarge)
    checkGraph(feature, { pathOf: (id) => placedAt.get(id) ?? [], key: 'depends_on' }, report);
  return { feature, places: placedAt };
}

/** The place of the interfaces of a phase, before its first component. */
const INTERFACES = -1;

function missing(phase: string): never {
  throw new TypeError(`the phase ${phase} is not in the file`);
}

/**
 * The interfaces of a phase are a component that no agent builds. All others of the phase wait for it. Each project
 * that uses some of them has a copy, which is a component of its own.
 */
function interfacesOf(
  { id: phase, interfaces = [] }: FeatureFile['phases'][number],
  id: string,
  components: readonly Component[],
): readonly Component[] {
  const users = (path: string): ReadonlySet<string | undefined> =>
    new Set(components.flatMap(({ uses = [], project }) => (uses.includes(path) ? [project] : [])));
  const own = components.filter(({ name }) => name.startsWith(`${phase}.`));
  const projects = [...new Set(components.map(({ project }) => project))];
  return projects.flatMap((project): readonly Component[] => {
    const ofProject = interfaces.filter(({ file }) => {
      const used = users(file);
      // What nothing uses is for the phase that has it.
      return used.size > 0 ? used.has(project) : own.some((one) => one.project === project);
    });
    if (ofProject.length === 0) return [];
    const paths = ofProject.map(({ file }) => file);
    const about = project === undefined ? '' : ` in ${project}`;
    const nth = project === undefined ? '' : String(projects.indexOf(project) + 1);
    const name = project === undefined ? 'interfaces' : `interfaces-${project}`;
    return [
      {
        ...{ id: `${id}${nth}`, name: `${phase}.${name}` },
        title: `The interfaces of ${phase}${about}`,
        task: `Lock ${paths.join(', ')}`,
        ...{ files: paths, touches: paths, dependsOn: [], role: null },
        interfaces: ofProject.map(({ file: path, definition: text }) => ({ path, text })),
        ...(project === undefined ? {} : { project }),
      },
    ];
  });
}

/** By `sequence` if the file has it, else by its lines. */
function orderPhases(file: FeatureFile, report: ReportFault): readonly PlacedPhase[] {
  const placed = file.phases.map((phase, nth) => ({ file: phase, path: ['phases', nth] }));
  reportTwice(file.phases, ['phases'], 'phase', report);
  const numbered = placed.filter(({ file: { sequence } }) => sequence !== undefined);
  if (numbered.length === 0) return placed;
  const without = placed.find(({ file: { sequence } }) => sequence === undefined);
  if (without !== undefined)
    report(without.path, 'has no sequence, but another phase has one: number all of them or none');
  for (const [nth, { file: phase, path }] of numbered.entries()) {
    const first = numbered.slice(0, nth).find((one) => one.file.sequence === phase.sequence);
    if (first !== undefined)
      report(
        [...path, 'sequence'],
        `the phases ${quote(first.file.id)} and ${quote(phase.id)} have the same sequence ${phase.sequence}`,
      );
  }
  return placed.toSorted((a, b) => (a.file.sequence ?? 0) - (b.file.sequence ?? 0));
}

/** A feature that is too large is not compared further. */
function checkCounts(phases: readonly PlacedPhase[], report: ReportFault): boolean {
  const components = phases.flatMap(({ file }) => file.components);
  const patterns = components.reduce(
    (total, { files, touches = [] }) => total + files.length + touches.length,
    0,
  );
  const tooMany = [
    ...(components.length > COMPONENTS_MAX
      ? [`${plural(components.length, 'component')}; the limit is ${COMPONENTS_MAX}`]
      : []),
    ...(patterns > ALL_PATTERNS_MAX
      ? [`${patterns} paths and patterns in all; the limit is ${ALL_PATTERNS_MAX}`]
      : []),
  ];
  for (const message of tooMany) report(['phases'], message);
  return tooMany.length > 0;
}

function reportTwiceLocked(phases: readonly PlacedPhase[], report: ReportFault): void {
  const seen = new Set<string>();
  for (const { file, path } of phases)
    for (const [nth, { file: own }] of (file.interfaces ?? []).entries()) {
      if (seen.has(own))
        report([...path, 'interfaces', nth, 'file'], `the interface ${quote(own)} is there twice`);
      seen.add(own);
    }
}

function reportTwice(
  items: readonly { readonly id: string }[],
  path: YamlPath,
  what: string,
  report: ReportFault,
): void {
  for (const [nth, { id }] of items.entries())
    if (items.findIndex((one) => one.id === id) !== nth)
      report([...path, nth, 'id'], `two ${what}s are called ${quote(id)}`);
}

/** `name`, first in the own phase and then in any other, or `phase.name`. */
function findReference(
  reference: string,
  phase: string,
  names: readonly string[],
  report: (message: string, meant?: string) => void,
): string | undefined {
  if (reference.includes('.')) {
    if (names.includes(reference)) return reference;
  } else {
    const own = `${phase}.${reference}`;
    if (names.includes(own)) return own;
    const elsewhere = names.filter((name) => name.endsWith(`.${reference}`));
    if (elsewhere.length === 1) return elsewhere[0];
    if (elsewhere.length > 1) {
      report(`${quote(reference)} can be ${elsewhere.join(' or ')}: write the phase too`);
      return undefined;
    }
  }
  const short = names.map((name) => (reference.includes('.') ? name : lastPart(name)));
  const meant = nearest(reference, short);
  report(`no component is called ${quote(reference)}${suggest(meant)}`, meant);
  return undefined;
}

function lastPart(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}
