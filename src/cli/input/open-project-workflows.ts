/** Opens the workflows of a project. It needs no owner: workflows are files. */
import { loadSettings } from '../../config/load-settings.ts';
import { listFolder } from '../../host/files/list-folder.ts';
import { packageData } from '../../host/files/package-data.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import { userHomeFolder } from '../../host/machine/account-home.ts';
import type { TrustedProject } from '../../trust/trusted-project.ts';
import type { Workflows } from '../../workflow-files/open-workflows.ts';
import { openWorkflows } from '../../workflow-files/open-workflows.ts';
import type { CliContext } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';

export async function openProjectWorkflows(
  context: CliContext,
  project: TrustedProject,
): Promise<Workflows> {
  const home = stateHome(context).dir;
  const options = { home, project, userDir: userHomeFolder(), readFile: readTextFile };
  const loaded = await loadSettings(options);
  const files = project.over({ read: readTextFile, list: listFolder });
  return openWorkflows({ home, project, packageData, files, loaded });
}
