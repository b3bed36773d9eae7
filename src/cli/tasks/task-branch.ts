/** The branch for the work of a task that has none yet. */
import { Refusal } from '../../base/errors.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import { userHomeFolder } from '../../host/machine/account-home.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { TrustedProject } from '../../trust/trusted-project.ts';
import { branchName } from '../../workflow/branch-name.ts';
import type { CliContext } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';

const TASK_ID_CHARS = 6;

/** `named`: by the person. Otherwise the settings of the project have a pattern. */
export async function chooseBranch(
  context: CliContext,
  { id, task, project }: Pick<RunView, 'id' | 'task' | 'project'>,
  named: string | undefined,
): Promise<string> {
  if (named !== undefined) return named;
  const home = stateHome(context).dir;
  const trusted = await TrustedProject.open({ home, project });
  const { settings } = await loadSettings({
    home,
    project: trusted,
    userDir: userHomeFolder(),
    readFile: readTextFile,
  });
  const { autoBranch, branchPattern } = settings.git;
  if (autoBranch) return branchName(branchPattern, id.slice(0, TASK_ID_CHARS), task);
  throw new Refusal({
    code: 'usage.invalid',
    message: 'Your settings choose no branch (git.auto_branch: false).',
    hint: `Name one with --branch, or commit on the branch that is checked out: supervisor apply --commit ${id}`,
  });
}
