/** The project that a command about finished work means. Only a feature spans several. */
import { Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { FEATURE_PROGRAM } from '../../protocol/feature.ts';
import type { FeatureView } from '../../protocol/views/feature-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { CliContext } from '../cli-context.ts';
import { existingFolder, projectOf } from '../input/project-path.ts';

/** The option of these commands. */
export const TASK_PROJECT_OPTION = [
  '-p, --project <dir>',
  'of a feature that spans projects: which of them (default: that of the current folder)',
] as const;

/** `named`: by the person. If the current folder is in none of its projects, the one that it was started in. */
export async function projectOfTask(
  context: CliContext,
  client: Client,
  { id, program, project }: Pick<RunView, 'id' | 'program' | 'project'>,
  named: string | undefined,
): Promise<string> {
  const { projects } = program === FEATURE_PROGRAM ? await client.feature(id) : { projects: [] };
  if (named === undefined && projects.length === 0) return project;
  const paths = projects.map(({ path }) => path);
  const current = projectOf(context, existingFolder(context, named ?? '.', 'option'));
  if (paths.includes(current)) return current;
  if (named === undefined || current === project) return project;
  throw new Refusal({
    code: 'usage.invalid',
    message: `Run ${id} does not change the project ${current}.`,
    hint: `Name one of: ${(paths.length === 0 ? [project] : paths).join(', ')}`,
  });
}

/** The part of a feature that this project has. */
export function inProjectOf(view: FeatureView, project: string): FeatureView {
  const name = view.projects.find(({ path }) => path === project)?.name;
  if (name === undefined) return view;
  const phases = view.phases.map((phase) => ({
    ...phase,
    components: phase.components.filter((one) => one.project === name),
  }));
  const own = new Set(phases.flatMap(({ components }) => components.map(({ id }) => id)));
  return { ...view, phases, landed: view.landed.filter(({ id }) => own.has(id)) };
}
