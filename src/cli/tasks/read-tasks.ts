/** Reads a file with tasks. Refuses with its lines. */
import { Refusal } from '../../base/errors.ts';
import { TasksFile } from '../../settings/tasks-file.ts';
import type { AblateTask } from '../../protocol/views/ablation-view.ts';
import { yamlRefusal } from '../../yaml/problem.ts';
import { TEXT_BYTES_MAX, readYaml } from '../../yaml/read-yaml.ts';
import { schemaFaults } from '../../yaml/schema-faults.ts';
import { toValue } from '../../yaml/yaml-tree.ts';
import { readGivenFile } from '../input/read-given-file.ts';

const INVALID = {
  code: 'usage.invalid',
  hint: 'Write the tasks as a YAML list under the key "tasks".',
} as const;

const KNOWN = { properties: { tasks: { items: { properties: { task: {}, base: {} } } } } };

export async function readTasks(cwd: string, file: string): Promise<readonly AblateTask[]> {
  const text = await readGivenFile(cwd, file, { bytesMax: TEXT_BYTES_MAX, hint: INVALID.hint });
  const { tree, problems } = readYaml(text, (line, column) => ({ file, line, column }));
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
  if (tree.kind === 'map' && tree.entries.length === 0)
    throw new Refusal({ ...INVALID, message: `${file} has no task.`, details: { file } });
  const parsed = TasksFile.safeParse(toValue(tree));
  if (!parsed.success) throw yamlRefusal(schemaFaults(tree, parsed.error.issues, KNOWN), INVALID);
  return parsed.data.tasks.map(({ task, base }) => (base === undefined ? task : { task, base }));
}
