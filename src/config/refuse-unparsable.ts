/** Refuses a configuration file of a project that is no YAML, before anything is said about trust. */
import { join } from 'node:path';
import type { ProjectFolder } from '../trust/project-folder.ts';
import { PROJECT_FOLDER } from '../trust/project-folder.ts';
import { entryText } from '../trust/text-of.ts';
import { yamlRefusal } from '../yaml/problem.ts';
import { readYaml, TEXT_BYTES_MAX } from '../yaml/read-yaml.ts';

const CONFIG = 'config.yaml';

/** Nothing of the file is used. To trust a file that can't be read would only lead to the next refusal. */
export function refuseUnparsable(project: string, { entries }: ProjectFolder): void {
  const entry = entries.find(({ path, kind }) => path === CONFIG && kind === 'file');
  const text = entry === undefined ? undefined : entryText(entry, TEXT_BYTES_MAX);
  if (text === undefined) return;
  const file = join(project, PROJECT_FOLDER, CONFIG);
  const { problems } = readYaml(text, (line, column) => ({ file, line, column }));
  if (problems.length > 0)
    throw yamlRefusal(problems, { code: 'config.invalid', hint: 'Fix the file.' });
}
