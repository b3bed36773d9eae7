/** Loads the settings of a project before the user trusts them, so that no broken file is trusted. */
import { Refusal } from '../../base/errors.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { refuseUnparsable } from '../../config/refuse-unparsable.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import { userHomeFolder } from '../../host/machine/account-home.ts';
import type { ProjectFolder } from '../../trust/project-folder.ts';
import { TrustedProject } from '../../trust/trusted-project.ts';
import type { CliContext } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';

/** Refuses with file, line and key, as a run would. Starts nothing. */
export async function checkBeforeTrust(
  context: CliContext,
  project: string,
  folder: ProjectFolder,
): Promise<void> {
  try {
    refuseUnparsable(project, folder);
    await loadSettings({
      home: stateHome(context).dir,
      project: TrustedProject.toCheck(project, folder),
      userDir: userHomeFolder(),
      readFile: readTextFile,
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const hint = ['Nothing was trusted.', error.data.hint].filter(Boolean).join(' ');
    throw new Refusal({ ...error.data, hint }, { cause: error });
  }
}
