/** Reads the file of a workflow and those of the workflows that it extends, the most distant one first. */
import { isRefusal, Refusal } from '../base/errors.ts';
import { errnoWords } from '../host/files/errno.ts';
import { WorkflowFile, workflowFileJsonSchema } from '../settings/workflow-file.ts';
import type { FileTexts } from '../trust/trusted-project.ts';
import { yamlRefusal } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import type { ExtendedLayer } from '../yaml/read-extended.ts';
import { misnamedFault, readExtended } from '../yaml/read-extended.ts';
import { TEXT_BYTES_MAX } from '../yaml/read-yaml.ts';
import { readYamlFile } from '../yaml/read-yaml-file.ts';
import { schemaFaults } from '../yaml/schema-faults.ts';
import { emptyMap, toValue, treeAt } from '../yaml/yaml-tree.ts';
import type { YamlTree } from '../yaml/yaml-tree.ts';
import type { PlacedWorkflow } from './workflow-path.ts';
import { PROJECT_WORKFLOW } from './workflow-path.ts';

export type WorkflowLayer = ExtendedLayer<PlacedWorkflow>;

export const INVALID = {
  code: 'workflow.invalid',
  hint: 'Fix the file. `supervisor schema workflow` prints all known keys.',
} as const;

/** `all` contains every workflow file, nearest first. Parents are looked up there. */
export function readLayers(
  own: PlacedWorkflow,
  all: readonly PlacedWorkflow[],
  files: FileTexts,
): Promise<readonly WorkflowLayer[]> {
  const read = (placed: PlacedWorkflow): Promise<YamlTree> => readWorkflowFile(placed, files);
  return readExtended(own, { all, read, noun: 'workflow', invalid: INVALID });
}

async function readWorkflowFile(
  { name, file }: PlacedWorkflow,
  files: FileTexts,
): Promise<YamlTree> {
  const text = await readText(file, files);
  const { tree: whole, problems } = readYamlFile(text, file);
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
  const tree = unwrap(whole);
  const result = WorkflowFile.safeParse(toValue(tree));
  const faults = result.success ? [] : workflowFaults(tree, result.error.issues);
  if (name !== PROJECT_WORKFLOW) faults.push(...misnamedFault(tree, name));
  if (faults.length > 0) throw yamlRefusal(faults, INVALID);
  return tree;
}

/** The description in the file itself, for a list; empty if it has none or cannot be read. */
export async function readDescription(placed: PlacedWorkflow, files: FileTexts): Promise<string> {
  try {
    const text = await readText(placed.file, files);
    const { tree } = readYamlFile(text, placed.file);
    const found = treeAt(unwrap(tree), ['description']);
    return found?.kind === 'scalar' ? String(found.value) : '';
  } catch (error) {
    if (isRefusal(error)) return '';
    throw error;
  }
}

/** Keys that other tools have in another place. */
const EXPLAINED: Readonly<Record<string, string>> = {
  continuity: 'write it under settings',
  'limits.continuity': 'write it under settings',
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
    if (isRefusal(error)) throw error;
    // Any other error here means that the user must fix the file, so it is a refusal and not a defect.
    throw unreadable(file, errnoWords(error), error);
  }
  throw unreadable(file, 'there is no such file');
}

function unreadable(file: string, why: string, cause?: unknown): Refusal {
  const message = `${file}: the file cannot be read: ${why}`;
  const hint = 'Make the file readable, or move it away.';
  return new Refusal({ code: INVALID.code, message, hint, details: { file } }, { cause });
}
