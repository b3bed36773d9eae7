/** Refuses to write settings anywhere but into the `.supervisor` folder of one project. */
import { join, resolve } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { isWithin } from '../../base/secret-paths.ts';
import { realPath } from '../../host/files/real-path.ts';
import { findObstacle } from '../../host/files/tree/write-beneath.ts';
import { accountHome, userHomeFolder } from '../../host/machine/account-home.ts';
import { PROJECT_FOLDER } from '../../trust/project-folder.ts';
import type { CliContext } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';

/**
 * Refuses a folder that a run refuses as too broad: in a home, `.supervisor` contains the user's own settings. Also
 * refuses a link, because a repository could lead the write to those settings. `paths` are relative to `.supervisor`.
 */
export async function requireOwnFolder(
  context: CliContext,
  project: string,
  paths: readonly string[],
): Promise<void> {
  await refuseHome(project, [
    [userHomeFolder(), 'your home folder'],
    [accountHome(), 'your home folder'],
    [stateHome(context).dir, "Supervisor's own state"],
  ]);
  for (const path of paths) {
    const obstacle = await findObstacle(project, join(PROJECT_FOLDER, path));
    if (obstacle !== undefined) throw obstacleRefusal(join(project, obstacle));
  }
}

/** For a path at which, or above which, something other than a file or folder of the project is. */
export function obstacleRefusal(path: string): Refusal {
  return new Refusal({
    code: 'config.unreadable',
    message: `${path} is a symbolic link, or not what belongs there. Supervisor does not write through it.`,
    hint: 'Move it away, then try again.',
    details: { file: path },
  });
}

async function refuseHome(
  project: string,
  homes: readonly (readonly [folder: string | undefined, what: string])[],
): Promise<void> {
  const root = (await realPath(project)) ?? resolve(project);
  for (const [folder, what] of homes) {
    if (folder === undefined) continue;
    const real = (await realPath(folder)) ?? resolve(folder);
    if (!isWithin(real, root) && !isWithin(resolve(folder), root)) continue;
    throw new Refusal({
      code: 'usage.invalid',
      message: `${project} is too broad to be a project: it ${real === root ? `is ${what}` : `contains ${what} ${folder}`}. Nothing was written.`,
      hint: 'Name the folder of one project with: --project DIR',
    });
  }
}
