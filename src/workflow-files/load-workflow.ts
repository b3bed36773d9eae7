/**
 * Loads one workflow: merges its files, completes its links, and checks it against the roles and gates of the project.
 * All problems are reported at once, each with its file, line and key.
 */
import { Refusal } from '../base/errors.ts';
import type { WorkflowDefinition } from '../protocol/workflow-definition.ts';
import { WorkflowFile } from '../settings/workflow-file.ts';
import type { FileTexts } from '../trust/trusted-project.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote, yamlRefusal } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';
import { entryAt, toValue } from '../yaml/yaml-tree.ts';
import type { YamlTree } from '../yaml/yaml-tree.ts';
import { defineWorkflow } from './define-workflow.ts';
import type { WorkflowFacts } from './define-workflow.ts';
import { findRoles } from './find-roles.ts';
import type { RoleLookup } from './find-roles.ts';
import { mergeWorkflow, toLayer } from './merge-layers.ts';
import { INVALID, readLayers, workflowFaults } from './read-layers.ts';
import { reportInto } from './step-draft.ts';
import { PROJECT_WORKFLOW } from './workflow-path.ts';
import type { PlacedWorkflow } from './workflow-path.ts';

export type WorkflowSurroundings = Omit<WorkflowFacts, 'roles'> & {
  /** Every workflow file, nearest first. */
  readonly placed: readonly PlacedWorkflow[];
  readonly files: FileTexts;
  readonly roles: RoleLookup;
  /** `workflow` of the configuration, with its places. */
  readonly chosen?: YamlTree | undefined;
  /** A step that the command line leaves out. */
  readonly without?: string;
};

export type LoadedWorkflow = {
  readonly definition: WorkflowDefinition;
  /** What differs from the files because of the project, in sentences. */
  readonly notes: readonly string[];
  /** The merged values of its files, each with its place. */
  readonly written: YamlTree;
  /** Its files, the most distant ancestor first. */
  readonly files: readonly PlacedWorkflow[];
};

export async function loadWorkflow(
  name: string,
  around: WorkflowSurroundings,
): Promise<LoadedWorkflow> {
  const own = around.placed.find((one) => one.name === name);
  if (own === undefined) throw notFound(name, around);
  if (name.startsWith('_')) throw onlyExtended(name);
  return loadPlacedWorkflow(own, around);
}

export async function loadPlacedWorkflow(
  own: PlacedWorkflow,
  around: WorkflowSurroundings,
): Promise<LoadedWorkflow> {
  const layers = await readLayers(own, around.placed, around.files);
  const trees = layers.map(({ tree }) => tree);
  if (around.chosen !== undefined && chosenName(around.chosen) === own.name)
    trees.push(toLayer(around.chosen));
  if (around.without !== undefined) trees.push(withoutStep(around.without));
  const written = mergeWorkflow(trees);
  const parsed = WorkflowFile.safeParse(toValue(written));
  if (!parsed.success) throw yamlRefusal(workflowFaults(written, parsed.error.issues), INVALID);
  const problems: Problem[] = [];
  const report = reportInto(problems, written);
  const roles = await findRoles(parsed.data, around.roles, report);
  const bases = layers.map(({ placed }) => placed).filter(({ name }) => name.startsWith('_'));
  const isOfBase = (id: string): boolean => {
    const place = entryAt(entryAt(written, 'steps')?.value ?? written, id)?.place;
    return bases.some((base) => base.file === place?.file);
  };
  const facts = { roles, gates: around.gates, git: around.git };
  const defined = defineWorkflow(own.name, parsed.data, facts, { report, isOfBase });
  if (problems.length > 0) throw yamlRefusal(problems.toSorted(byPlace), INVALID);
  return { ...defined, written, files: layers.map(({ placed }) => placed) };
}

/** The flag as a file that disables the step. */
function withoutStep(step: string): YamlTree {
  const place = { file: '--without', line: 0, column: 0, isFlag: true } as const;
  const node = { place, fresh: false };
  const value: YamlTree = {
    ...node,
    kind: 'list',
    items: [{ ...node, kind: 'scalar', value: step }],
  };
  return { ...node, kind: 'map', entries: [{ key: 'disable', place, value }] };
}

/** The workflow that the configuration chooses and changes. */
export function chosenName(chosen: YamlTree): string {
  const template = entryAt(chosen, 'template')?.value;
  return template?.kind === 'scalar' && typeof template.value === 'string'
    ? template.value
    : PROJECT_WORKFLOW;
}

function byPlace({ place: a }: Problem, { place: b }: Problem): number {
  return a.file === b.file ? a.line - b.line || a.column - b.column : 0;
}

function notFound(name: string, { placed, chosen }: WorkflowSurroundings): Refusal {
  const names = placed.map((one) => one.name).filter((one) => !one.startsWith('_'));
  const meant = nearest(name, names);
  const message = `no workflow is called ${quote(name)}${suggest(meant)}`;
  const hint = 'See them with: supervisor workflow list';
  if (chosen === undefined || chosenName(chosen) !== name)
    return new Refusal({
      code: 'workflow.not-found',
      message,
      hint,
      details: { workflow: name },
    });
  const template = entryAt(chosen, 'template');
  const key = 'workflow.template';
  const said =
    template === undefined
      ? 'overrides and disable need a template, or a file .supervisor/workflow.yaml'
      : message;
  const { place } = template?.value ?? chosen;
  const problem = { place, key, message: `${key}: ${said}`, nearest: meant };
  return yamlRefusal([problem], { code: INVALID.code, hint });
}

function onlyExtended(name: string): Refusal {
  return new Refusal({
    code: 'workflow.invalid',
    message: `The workflow ${quote(name)} is only there to be extended, because its name begins with _.`,
    hint: 'See the others with: supervisor workflow list',
    details: { workflow: name },
  });
}
