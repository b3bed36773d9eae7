/** Reads the file of a workflow and those of the workflows that it extends, the most distant one first. */
import { isRefusal, Refusal } from '../base/errors.ts';
import { errnoWords } from '../host/files/errno.ts';
import { WorkflowFile, workflowFileJsonSchema } from '../settings/workflow-file.ts';
import type { FileTexts } from '../trust/trusted-project.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote, yamlRefusal } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { readYaml, TEXT_BYTES_MAX } from '../yaml/read-yaml.ts';
import { schemaFaults, suggest } from '../yaml/schema-faults.ts';
import { emptyMap, entryAt, toValue, treeAt } from '../yaml/yaml-tree.ts';
import type { YamlTree } from '../yaml/yaml-tree.ts';
import type { PlacedWorkflow } from './workflow-path.ts';
import { PROJECT_WORKFLOW } from './workflow-path.ts';

export type WorkflowLayer = { readonly placed: PlacedWorkflow; readonly tree: YamlTree };

export const INVALID = {
  code: 'workflow.invalid',
  hint: 'Fix the file. `supervisor schema workflow` prints all known keys.',
} as const;
const ANCESTORS_MAX = 10;

/** `all` contains every workflow file, nearest first. Parents are looked up there. */
export async function readLayers(
  own: PlacedWorkflow,
  all: readonly PlacedWorkflow[],
  files: FileTexts,
): Promise<readonly WorkflowLayer[]> {
  const layers: WorkflowLayer[] = [];
  let placed = own;
  for (;;) {
    const tree = await readWorkflowFile(placed, files);
    layers.unshift({ placed, tree });
    const parent = entryAt(tree, 'extends')?.value;
    if (parent?.kind !== 'scalar' || parent.value === null) return layers;
    const refuse = (message: string, meant?: string): Refusal =>
      yamlRefusal([{ place: parent.place, key: 'extends', message, nearest: meant }], INVALID);
    const parentName = String(parent.value);
    const next = findParent(placed, parentName, all);
    if (next === undefined) {
      const names = all.map(({ name }) => name);
      const meant = nearest(parentName, names);
      throw refuse(`extends: no workflow is called ${quote(parentName)}${suggest(meant)}`, meant);
    }
    if (layers.some((layer) => layer.placed.file === next.file)) {
      const cycle = [...layers.map((layer) => layer.placed.name).toReversed(), next.name];
      throw refuse(`extends: a cycle: ${cycle.join(' → ')}`);
    }
    if (layers.length >= ANCESTORS_MAX)
      throw refuse(`extends: more than ${ANCESTORS_MAX} workflows deep`);
    placed = next;
  }
}

/** A workflow that extends its own name extends the workflow that it overrides. */
function findParent(
  child: PlacedWorkflow,
  name: string,
  all: readonly PlacedWorkflow[],
): PlacedWorkflow | undefined {
  const behind = name === child.name ? all.slice(all.indexOf(child) + 1) : all;
  return behind.find((one) => one.name === name) ?? (name === child.name ? child : undefined);
}

async function readWorkflowFile(
  { name, file }: PlacedWorkflow,
  files: FileTexts,
): Promise<YamlTree> {
  const text = await readText(file, files);
  const { tree: whole, problems } = readYaml(text, (line, column) => ({ file, line, column }));
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
  const tree = unwrap(whole);
  const result = WorkflowFile.safeParse(toValue(tree));
  const faults = result.success ? [] : workflowFaults(tree, result.error.issues);
  const field = treeAt(tree, ['name']);
  const isNamed = field?.kind === 'scalar' && typeof field.value === 'string';
  if (isNamed && field.value !== name && name !== PROJECT_WORKFLOW)
    faults.push({
      place: field.place,
      key: 'name',
      message: `name: expected ${quote(name)}, the name of the file`,
    });
  if (faults.length > 0) throw yamlRefusal(faults, INVALID);
  return tree;
}

/** The description in the file itself, for a list; empty if it has none or cannot be read. */
export async function readDescription(placed: PlacedWorkflow, files: FileTexts): Promise<string> {
  try {
    const text = await readText(placed.file, files);
    const { tree } = readYaml(text, (line, column) => ({ file: placed.file, line, column }));
    const found = treeAt(unwrap(tree), ['description']);
    return found?.kind === 'scalar' ? String(found.value) : '';
  } catch (error) {
    if (isRefusal(error)) return '';
    throw error;
  }
}

/** Keys that other tools know, and why they have no effect here. */
const EXPLAINED: Readonly<Record<string, string>> = {
  'settings.continuity':
    'an agent continues its conversation by itself while gates are red, and every other step starts a new one',
  'limits.default_token_budget': 'each role has its own context.token_budget',
  'limits.max_token_budget': 'each role has its own context.token_budget',
};

/** The problems that the schema finds, each with the nearest known key. */
export function workflowFaults(
  tree: YamlTree,
  issues: Parameters<typeof schemaFaults>[1],
): Problem[] {
  return schemaFaults(tree, issues, workflowFileJsonSchema()).map((problem) => {
    const why = Object.hasOwn(EXPLAINED, problem.key) ? EXPLAINED[problem.key] : undefined;
    return why === undefined ? problem : { ...problem, message: `${problem.message}: ${why}` };
  });
}

/** A file may have all its keys below the key `workflow`. */
function unwrap(tree: YamlTree): YamlTree {
  const [only, second] = tree.kind === 'map' ? tree.entries : [];
  if (only?.key !== 'workflow' || second !== undefined) return tree;
  return only.value.kind === 'empty' ? emptyMap(only.place) : only.value;
}

async function readText(file: string, files: FileTexts): Promise<string> {
  try {
    const text = await files.read(file, TEXT_BYTES_MAX);
    if (text !== undefined) return text;
  } catch (error) {
    // Any error here means that the user must fix the file, so it is a refusal and not a defect.
    throw unreadable(file, errnoWords(error), error);
  }
  throw unreadable(file, 'there is no such file');
}

function unreadable(file: string, why: string, cause?: unknown): Refusal {
  const message = `${file}: the file cannot be read: ${why}`;
  const hint = 'Make the file readable, or move it away.';
  return new Refusal({ code: INVALID.code, message, hint, details: { file } }, { cause });
}
