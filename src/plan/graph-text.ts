/** A feature as a diagram: Mermaid for Markdown, and a drawing for a terminal. */
import { mermaidText } from '../base/mermaid-text.ts';
import type { ComponentState, ComponentStates } from './component-states.ts';
import { stateOf } from './component-states.ts';
import type { Component, Feature } from '../protocol/feature.ts';
import { allComponents } from '../protocol/feature.ts';
import { toGraph } from './feature-graph.ts';

/** Each phase is a box. Edges that follow from the order of the phases connect the boxes. */
export function renderMermaid(feature: Feature): string {
  const boxes = feature.phases.flatMap(({ id, title, components }) => [
    `  subgraph ${node(id)}["${mermaidText(title)}"]`,
    ...components.map((one) => `    ${node(one.id)}${shape(one)}`),
    '  end',
  ]);
  const named = allComponents(feature).flatMap(({ id, dependsOn, onlyIf = [] }) =>
    dependsOn.map((from) => {
      const guard = onlyIf.find((one) => one.node === from);
      return `  ${node(from)} ${guard === undefined ? '-->' : `-- ${guard.is} -->`} ${node(id)}`;
    }),
  );
  const order = feature.phases.flatMap(({ id, gate }, nth) => {
    const before = feature.phases[nth - 1];
    if (before === undefined) return [];
    const arrow = gate === 'interfaces-locked' ? '-. interfaces .->' : '==>';
    return [`  ${node(before.id)} ${arrow} ${node(id)}`];
  });
  const all = [...projectBox(feature), ...boxes, ...named, ...order];
  return ['flowchart LR', ...all].map((line) => `${line}\n`).join('');
}

/** A box with the order of the projects, if there are several. */
function projectBox({ projects = [] }: Feature): readonly string[] {
  if (projects.length === 0) return [];
  return [
    '  subgraph projects["projects"]',
    ...projects.map(({ name }) => `    project_${node(name)}(["${name}"])`),
    ...projects.flatMap(({ name, dependsOn }) =>
      dependsOn.map((from) => `    project_${node(from)} --> project_${node(name)}`),
    ),
    '  end',
  ];
}

/** What decides is a rhombus, and what waits for a person or a gate has a form of its own. */
function shape({ title, node: own, project }: Component): string {
  const words = project === undefined ? title : `${project}: ${title}`;
  const text = `"${mermaidText(words)}"`;
  switch (own?.kind) {
    case undefined:
      return `[${text}]`;
    case 'gate':
      return `[[${text}]]`;
    case 'human':
      return `([${text}])`;
    case 'branch':
    case 'round':
      return `{${text}}`;
    case 'merge':
      return `((${text}))`;
  }
}

function node(id: string): string {
  return id.replaceAll('-', '_');
}

export type DrawnLine = {
  readonly phase: {
    readonly title: string;
    /** From the phase before it. Null: it does not wait for that phase, or there is none. */
    readonly arrow: string | null;
  } | null;
  readonly mark: string;
  readonly id: string;
  readonly name: string;
  /** Null: the feature is about one project. */
  readonly project: string | null;
  /** Empty: it has none besides its name. */
  readonly title: string;
  /** What it waits for inside of its phase, or by name in another one. */
  readonly after: readonly string[];
};

const MARKS = {
  pending: '○',
  implementing: '●',
  testing: '●',
  review: '?',
  merging: '●',
  complete: '✔',
  failed: '✖',
} as const;

export function componentMark(state: ComponentState): string {
  return MARKS[state];
}

/** One line for each component, in the order in which they can start. `phase` is set on the first of a phase. */
export function drawFeature(feature: Feature, states: ComponentStates): readonly DrawnLine[] {
  const { edges } = toGraph(feature);
  const names = new Map(allComponents(feature).map(({ id, name }) => [id, name]));
  return feature.phases.flatMap(({ id, title, gate, components }, place) =>
    components.map((one, nth) => ({
      phase:
        nth > 0
          ? null
          : {
              title: `${id}  ${title}`,
              arrow: place === 0 || gate === 'interfaces-locked' ? null : '▼',
            },
      mark: MARKS[stateOf(states, one.id)],
      id: one.id,
      name: one.name,
      project: one.project ?? null,
      title: one.name.endsWith(`.${one.title}`) ? '' : one.title,
      after: edges
        .filter(({ to, kind }) => to === one.id && kind === 'named')
        .map(({ from }) => names.get(from) ?? from),
    })),
  );
}
