/** Where workflows are found, nearest first: in the project, in the user's home, in the package, in installed packs. */
import { join } from 'node:path';
import { isWorkflowName } from '../settings/workflow-file.ts';
import { COMMUNITY_FOLDER, PROJECT_FOLDER } from '../trust/project-folder.ts';
import type { TrustedProject } from '../trust/trusted-project.ts';
import type { FileTexts } from '../trust/trusted-project.ts';
import { quote } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';

type WorkflowLevel = 'project' | 'user' | 'package' | 'community';

export type PlacedWorkflow = {
  readonly name: string;
  readonly file: string;
  readonly level: WorkflowLevel;
};

export type WorkflowPlaces = {
  /** The directory of the user's state, `$SUPERVISOR_HOME`. */
  readonly home: string;
  /** Absent outside a project. */
  readonly project?: TrustedProject | undefined;
  /** The folder of the files that the package contains. */
  readonly packageData: string;
};

/** The name of the workflow in `.supervisor/workflow.yaml`. */
export const PROJECT_WORKFLOW = 'project';

/** Every workflow file, nearest first, and the problems with the names of other files. */
export async function listWorkflowFiles(
  { home, project, packageData }: WorkflowPlaces,
  files: FileTexts,
): Promise<{ readonly placed: readonly PlacedWorkflow[]; readonly problems: readonly Problem[] }> {
  const placed: PlacedWorkflow[] = [];
  const problems: Problem[] = [];
  const users = join(home, 'workflows');
  const own = project === undefined ? undefined : join(project.root, PROJECT_FOLDER);
  if (own !== undefined && (await files.list(own)).includes('workflow.yaml'))
    placed.push({ name: PROJECT_WORKFLOW, file: join(own, 'workflow.yaml'), level: 'project' });
  const folders: readonly (readonly [WorkflowLevel, string])[] = [
    ...(own === undefined || join(own, 'workflows') === users
      ? []
      : [['project', join(own, 'workflows')] as const]),
    ['user', users],
    ['package', join(packageData, 'workflows')],
    ['community', join(home, COMMUNITY_FOLDER, 'workflows')],
  ];
  for (const [level, folder] of folders) {
    for (const file of (await files.list(folder)).toSorted()) {
      const name = /^(.*)\.ya?ml$/i.exec(file)?.[1];
      if (name === undefined) continue; // a note beside the workflows
      const path = join(folder, file);
      if (file === `${name}.yaml` && isWorkflowName(name)) placed.push({ name, file: path, level });
      else problems.push({ place: { file: path, line: 0, column: 0 }, key: '', message: misnamed });
    }
  }
  return { placed, problems };
}

const misnamed = `the file of a workflow needs a name such as ${quote('release.yaml')}: lowercase letters, digits, _ and -`;
