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
import { treeFileOf } from '../import-tree.ts';
import { isSameFile } from '../tree-entries.ts';
import type { ShadowRepo } from '../shadow-repo.ts';
import { readBlobs, readRef, writeRef } from '../shadow-repo.ts';
import type { WorkspaceId } from '../workspace.ts';
import { appliedRef, beforeRef } from '../workspace.ts';

/** The hands that work on the user's real tree. `before` is a commit of the vault. */
export function realFileOps(vault: ShadowRepo, place: WorkspaceId, before: string): FileOps {
  const { root } = place;
  const name = stagingName(place.run, place.attempt);
  const staging = join(root, name);
  const own = (edit: number, what: 'new' | 'old' | 'undone'): string =>
    join(staging, `${edit}.${what}`);
  return {
    wasPlaced: async () => (await readRef(vault, appliedRef(place))) === before,
    keepBefore: () => writeRef(vault, beforeRef(place), before),
    target: (path) => look(root, path),
    aside: (edit) => look(root, `${name}/${edit}.old`),
    isStaged: async (edit) => (await look(root, `${name}/${edit}.new`)) !== 'absent',
    async stage(staged) {
      await ensurePrivateDir(staging);
      const left = [...staged]; // contents come in the order in which they are asked for
      await readBlobs(
        vault,
        staged.map(({ goal }) => goal),
        async ({ mode }, content) => {
          const { edit, path } = left.shift() ?? { edit: 0, path: '' };
          const isExecutable = mode === '100755';
          const kind = mode === '120000' ? 'symlink' : 'file';
          await stageFile(own(edit, 'new'), { kind, content, isExecutable });
          await copyMode(own(edit, 'new'), join(root, path), isExecutable);
        },
      );
    },
    unstage: (edit) => removeTree(own(edit, 'new')),
    async setAside(edit, path, { alsoFolders }) {
      await ensurePrivateDir(staging);
      await moveEntryAside(root, path, own(edit, 'old'));
      if (alsoFolders) await removeEmptyFolders(root, folderOf(path));
    },
    place: (edit, path) => placeFile(own(edit, 'new'), root, path),
    putBack: (edit, path) => placeFile(own(edit, 'old'), root, path),
    async takeBack(edit, path, goal) {
      await moveEntryAside(root, path, own(edit, 'undone'));
      const moved = await look(root, `${name}/${edit}.undone`);
      if (typeof moved !== 'string' && isSameFile(moved, goal)) {
        await removeTree(own(edit, 'undone'));
        await removeEmptyFolders(root, folderOf(path));
      } else {
        await placeFile(own(edit, 'undone'), root, path); // the user's, in the last moment
      }
    },
    markPlaced: () => writeRef(vault, appliedRef(place), before),
    tidy: () => removeTree(staging),
  };
}

async function look(root: string, path: string): Promise<CurrentState> {
  const state = await readPath(root, path, TREE_LIMITS.fileBytesMax);
  if (state.kind === 'file' || state.kind === 'symlink') return treeFileOf(state);
  return state.kind === 'absent' || state.kind === 'folder' ? state.kind : 'other';
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}
