import { join } from 'node:path';
import { ensurePrivateDir } from '../../host/files/atomic-files.ts';
import { readPath } from '../../host/files/tree/read-tree.ts';
import {
  copyMode,
  moveEntryAside,
  placeFile,
  removeEmptyFolders,
  removeTree,
  stageFile,
} from '../../host/files/tree/write-tree.ts';
import type { FileOps } from './execute-apply.ts';
import { TREE_LIMITS } from '../tree-limits.ts';
import type { CurrentState } from './plan-apply.ts';
import { stagingName } from './staging.ts';
import { toTreeEntry } from '../import-tree.ts';
import { isSameFile } from '../tree-entries.ts';
import type { ShadowRepo } from '../shadow-repo.ts';
import { readBlobs, readRef, writeRef } from '../shadow-repo.ts';
import type { WorkspaceId } from '../workspace.ts';
import { appliedRef, beforeRef } from '../workspace.ts';

/**
 * The operations on the user's real tree. `before` is a commit of the shadow repository. `savedRef` gets the user's
 * state before anything changes.
 */
export function realFileOps(
  repo: ShadowRepo,
  workspace: WorkspaceId,
  before: string,
  savedRef: string = beforeRef(workspace),
): FileOps {
  const { root } = workspace;
  const name = stagingName(workspace.run, workspace.attempt);
  const staging = join(root, name);
  const stagedPath = (edit: number, what: 'new' | 'old' | 'undone'): string =>
    join(staging, `${edit}.${what}`);
  return {
    wasPlaced: async () => (await readRef(repo, appliedRef(workspace))) === before,
    saveUserState: () => writeRef(repo, savedRef, before),
    readTarget: (path) => readState(root, path),
    readAside: (edit) => readState(root, `${name}/${edit}.old`),
    isStaged: async (edit) => (await readState(root, `${name}/${edit}.new`)) !== 'absent',
    async stage(staged) {
      await ensurePrivateDir(staging);
      const pending = [...staged]; // contents arrive in the order in which they are requested
      await readBlobs(
        repo,
        staged.map(({ goal }) => goal),
        async ({ mode }, content) => {
          const { edit, path, permissions } = pending.shift() ?? { edit: 0, path: '' };
          const isExecutable = mode === '100755';
          const kind = mode === '120000' ? 'symlink' : 'file';
          await stageFile(stagedPath(edit, 'new'), { kind, content, isExecutable });
          await copyMode(stagedPath(edit, 'new'), join(root, path), isExecutable, permissions);
        },
      );
    },
    unstage: (edit) => removeTree(stagedPath(edit, 'new')),
    async setAside(edit, path, { alsoFolders }) {
      await ensurePrivateDir(staging);
      await moveEntryAside(root, path, stagedPath(edit, 'old'));
      if (alsoFolders) await removeEmptyFolders(root, parentFolder(path));
    },
    place: (edit, path) => placeFile(stagedPath(edit, 'new'), root, path),
    restoreAside: (edit, path) => placeFile(stagedPath(edit, 'old'), root, path),
    async removePlaced(edit, path, goal) {
      await moveEntryAside(root, path, stagedPath(edit, 'undone'));
      const moved = await readState(root, `${name}/${edit}.undone`);
      if (typeof moved !== 'string' && isSameFile(moved, goal)) {
        await removeTree(stagedPath(edit, 'undone'));
        await removeEmptyFolders(root, parentFolder(path));
      } else {
        await placeFile(stagedPath(edit, 'undone'), root, path); // the user has just written it
      }
    },
    markPlaced: () => writeRef(repo, appliedRef(workspace), before),
    removeStaging: () => removeTree(staging),
  };
}

export async function readState(root: string, path: string): Promise<CurrentState> {
  const state = await readPath(root, path, TREE_LIMITS.fileBytesMax);
  if (state.kind === 'file' || state.kind === 'symlink') return toTreeEntry(state);
  return state.kind === 'absent' || state.kind === 'folder' ? state.kind : 'other';
}

function parentFolder(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}
