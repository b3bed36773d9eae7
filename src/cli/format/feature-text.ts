/** How a feature looks in a terminal and in JSON. */
import { plural } from '../../base/text.ts';
import type { ComponentStates } from '../../plan/component-states.ts';
import { expectedSchedule, findNeighbours } from '../../plan/expected-speedup.ts';
import type { Feature } from '../../protocol/feature.ts';
import { needsAgents } from '../../protocol/feature.ts';
import type { FeatureGraph } from '../../plan/feature-graph.ts';
import { toGraph } from '../../plan/feature-graph.ts';
import { drawFeature } from '../../plan/graph-text.ts';
import type { JsonDocument } from '../../public-json/documents.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { joinCells, layOutTable } from './text-table.ts';

const NOTHING_DONE: ComponentStates = new Map();
const OVERLAPS_SHOWN_MAX = 10;

export function formatFeature(context: CliContext, feature: Feature, capacity: number): string {
  const { id, title, description } = feature;
  const graph = toGraph(feature);
  return [
    `${paint(context, 'bold', id)}  ${printable(title)}`,
    ...(description === '' ? [] : [paint(context, 'dim', printable(description.trimEnd()))]),
    '',
    ...projectLines(context, feature),
    ...drawing(context, feature),
    '',
    ...scheduleLines(graph, capacity),
    ...overlapLines(context, graph),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** Nothing, if the feature is about one project. */
function projectLines(context: CliContext, { projects = [] }: Feature): readonly string[] {
  if (projects.length === 0) return [];
  const { rows } = layOutTable(
    context.terminal,
    [{ title: '' }, { title: '' }, { title: '' }],
    projects.map(({ name, path, dependsOn }) => {
      return [name, printable(path), dependsOn.length === 0 ? '' : `after ${dependsOn.join(', ')}`];
    }),
  );
  const lines = rows.map(([name = '', path = '', after = '']) => {
    const cells = [paint(context, 'cyan', name), path, paint(context, 'dim', after)];
    return `  ${joinCells(cells).trimEnd()}`;
  });
  return [paint(context, 'bold', 'Projects'), ...lines, ''];
}

/** Each phase is a block. An arrow between two blocks: all of the first comes before the second. */
function drawing(context: CliContext, feature: Feature): readonly string[] {
  const lines = drawFeature(feature, NOTHING_DONE);
  const columns = [{ title: '' }, { title: '' }, { title: '' }, { title: '', least: 20 }];
  const { rows } = layOutTable(
    context.terminal,
    columns,
    lines.map(({ mark, id, name, project, title }) => {
      return [mark, id, inProject(name, project), printable(title)];
    }),
  );
  return lines.flatMap(({ phase, after }, nth) => {
    const [mark = '', id = '', name = '', title = ''] = rows[nth] ?? [];
    const waits = after.length === 0 ? '' : `after ${after.join(', ')}`;
    const cells = [mark, paint(context, 'cyan', id), name, title, paint(context, 'dim', waits)];
    const line = `  ${joinCells(cells).trimEnd()}`;
    if (phase === null) return [line];
    const arrow = phase.arrow === null ? [] : [`  ${phase.arrow}`];
    return [...arrow, paint(context, 'bold', printable(phase.title)), line];
  });
}

/** A component of a feature that spans projects: `web: frontend.form`. */
export function inProject(name: string, project: string | null): string {
  return project === null ? name : `${project}: ${name}`;
}

function scheduleLines(graph: FeatureGraph, capacity: number): readonly string[] {
  const { batches, speedup } = expectedSchedule(graph, capacity);
  const count = graph.components.filter(needsAgents).length;
  if (speedup === 1)
    return [
      count === 1
        ? 'There is one component, so nothing runs side by side.'
        : `No two of these ${plural(count, 'component')} can run side by side: run it serially.`,
    ];
  const names = new Map(graph.components.map(({ id, name }) => [id, name]));
  return [
    `Side by side, at most ${capacity} at a time:`,
    ...batches.map((batch, nth) => {
      const list = batch.map((id) => names.get(id) ?? id).join(', ');
      return `${String(nth + 1).padStart(3)}  ${list}`;
    }),
    `Expected: ${speedup.toFixed(1)} times as fast as one after the other, if all of them take the same time.`,
  ];
}

function overlapLines(context: CliContext, graph: FeatureGraph): readonly string[] {
  const found = findNeighbours(graph);
  const names = new Map(graph.components.map(({ id, name }) => [id, name]));
  const more = found.length - OVERLAPS_SHOWN_MAX;
  return [
    ...found.slice(0, OVERLAPS_SHOWN_MAX).map(({ ids, patterns: [one, other] }) => {
      const both = one === other ? printable(one) : `${printable(one)} and ${printable(other)}`;
      const pair = ids.map((id) => names.get(id) ?? id).join(' and ');
      return `${paint(context, 'yellow', '!')} ${pair} never run at the same time: both touch ${both}.`;
    }),
    ...(more > 0
      ? [`${paint(context, 'yellow', '!')} ${more} more pairs touch the same files.`]
      : []),
  ];
}

export function toFeatureDocument(feature: Feature, capacity: number): JsonDocument<'feature'> {
  const graph = toGraph(feature);
  const { batches, speedup } = expectedSchedule(graph, capacity);
  const { id, title, description, workflow, phases, projects = [] } = feature;
  return {
    schema: 'supervisor.feature/1',
    ...{ id, title, description, workflow },
    projects: projects.map(({ name, path, dependsOn }) => ({
      ...{ name, path, depends_on: [...dependsOn] },
    })),
    phases: phases.map(({ components, ...phase }) => ({
      ...phase,
      components: components.map(
        ({
          dependsOn,
          files,
          touches,
          interfaces,
          uses = [],
          node,
          project = null,
          onlyIf = [],
          ...component
        }) => ({
          ...component,
          project,
          files: [...files],
          touches: [...touches],
          locks: (interfaces ?? []).map(({ path }) => path),
          uses: [...uses],
          node: node?.kind ?? null,
          only_if: onlyIf.map((guard) => ({ ...guard })),
          depends_on: [...dependsOn],
          waits_for: [...(graph.waitsFor.get(component.id) ?? [])],
        }),
      ),
    })),
    capacity,
    batches: batches.map((batch) => [...batch]),
    expected_speedup: Math.round(speedup * 100) / 100,
    overlaps: findNeighbours(graph).map(({ ids, patterns }) => ({
      components: [...ids],
      patterns: [...patterns],
    })),
  };
}
