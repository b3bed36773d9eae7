/**
 * A folder with a state of the work, for reading: the files of the work, and a repository that shows the work as staged
 * changes of the base. It is removed afterwards.
 */
import { join } from 'node:path';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { scratchDir } from '../host/files/scratch-folder.ts';
import { makeFolder, removeTree } from '../host/files/tree/write-tree.ts';
import { checkOut } from './create-workspace.ts';
import { runGit } from './git.ts';
import { openShadowRepo } from './shadow-repo.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts } from './workspace.ts';
import { requireRecord, workspacePaths } from './workspace.ts';

export type ContextTree = AsyncDisposable & {
  /** The user's folder in the tree. */
  readonly folder: string;
};

export async function checkOutContextTree(
  workspace: WorkspaceId,
  commit: string,
  ports: WorkspacePorts,
): Promise<ContextTree> {
  const { base, inside } = await requireRecord(workspace);
  const repo = await openShadowRepo(workspacePaths(workspace).project, ports);
  const scratch = await scratchDir(repo.scratchDir);
  try {
    const work = join(scratch.path, 'work');
    await ensurePrivateDir(work);
    await checkOut(repo, commit, work);
    if (inside !== '') await makeFolder(work, inside);
    await stageOnBase(repo, work, base, commit);
    const folder = join(work, inside);
    return { folder, [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose]() };
  } catch (error) {
    await removeTree(scratch.path);
    throw error; // only our own folder is removed here
  }
}

/** Runs git inside the tree. Its configuration is ours, and it borrows the objects of the shadow repository. */
async function stageOnBase(
  { ports, objectsDir }: ShadowRepo,
  work: string,
  base: string,
  commit: string,
): Promise<void> {
  const gitDir = join(work, '.git');
  const call = { gitDir, workTree: work, isThrowAway: true };
  const init = ['init', '--quiet', '--template=', '--object-format=sha1', '--initial-branch=work'];
  await runGit(ports, init, call);
  await ensurePrivateDir(join(gitDir, 'objects', 'info'));
  await writeFileAtomic(join(gitDir, 'objects', 'info', 'alternates'), `${objectsDir}\n`);
  await runGit(ports, ['update-ref', 'HEAD', base], call);
  await runGit(ports, ['read-tree', commit], call);
}
