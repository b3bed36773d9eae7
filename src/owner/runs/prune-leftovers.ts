/** Finds and removes what runs left in the home. */
import { join } from 'node:path';
import { parseRunId } from '../../base/ids.ts';
import type { RunId } from '../../base/ids.ts';
import { diskUse } from '../../host/files/disk-use.ts';
import { listFiles } from '../../host/files/list-folder.ts';
import { removeFile } from '../../host/files/read-text-file.ts';
import { listTreeFolder } from '../../host/files/tree/read-tree.ts';
import { removeTree } from '../../host/files/tree/write-tree.ts';
import type { Leftover } from '../../protocol/views/prune-view.ts';
import type { DiscardedWork } from '../../workspace/commit-tree.ts';
import { discardWorkspace, findStale } from '../../workspace/commit-work.ts';
import type { WorkspaceId, WorkspacePorts } from '../../workspace/workspace.ts';
import { workspacePaths } from '../../workspace/workspace.ts';
import { briefsDir, unusedBriefs } from './unused-briefs.ts';
import type { KnownRuns } from './unused-briefs.ts';

/**
 * The workspace of a run comes first: it is removed only if its work is committed. The rest of the
 * run matters less.
 */
export type FoundLeftover = Leftover & {
  readonly run: RunId;
  readonly workspace: WorkspaceId | null;
  /** The names of the files to remove in the folder. If absent, the whole folder is removed. */
  readonly files?: readonly string[];
};

export interface Leftovers {
  /** The leftovers of runs, workspaces first. Workspaces in use are not included. */
  listForRuns(): Promise<readonly FoundLeftover[]>;
  /** The briefs to which no run refers, or only runs that ended before `before`. */
  briefs(before: number): Promise<readonly Leftover[]>;
  /** Commits the work and removes the workspace. */
  discard(workspace: WorkspaceId): Promise<DiscardedWork>;
  remove(path: string): Promise<void>;
  /** The plain files of a folder, with their sizes. */
  filesIn(path: string): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  removeFiles(path: string, names: readonly string[]): Promise<void>;
}

export type LeftoversPorts = {
  /** The home folder of Supervisor. */
  readonly home: string;
  readonly git: WorkspacePorts;
  readonly journal: () => KnownRuns;
  /** Aborts when the owner closes and there is no more time. */
  readonly signal: AbortSignal;
};

/** Folders of the home with one folder per run. */
const PER_RUN = [
  ['home', 'homes'],
  ['output', 'outputs'],
] as const;

export function realLeftovers({ home, git, journal, signal }: LeftoversPorts): Leftovers {
  const measure = async (path: string): Promise<number> =>
    (await diskUse([path], Number.POSITIVE_INFINITY, signal)).bytes;
  return {
    async listForRuns() {
      const found: FoundLeftover[] = [];
      for (const { workspace } of await findStale(home, git, 0)) {
        const path = workspacePaths(workspace).work;
        found.push({
          kind: 'workspace',
          run: workspace.run,
          path,
          workspace,
          bytes: await measure(path),
        });
      }
      for (const [kind, folder] of PER_RUN)
        for (const { name } of (await listTreeFolder(home, folder)) ?? []) {
          const run = parseRunId(name);
          if (run === undefined) continue;
          const path = join(home, folder, name);
          const bytes = await measure(path);
          if (bytes > 0) found.push({ kind, run, path, workspace: null, bytes });
        }
      return found;
    },
    briefs: (before) => unusedBriefs(briefsDir(home), journal(), before, git.clock.now()),
    discard: (workspace) => discardWorkspace(workspace, git),
    remove: (path) => removeTree(path),
    filesIn: (path) => listFiles(path),
    async removeFiles(path, names) {
      for (const name of names) await removeFile(join(path, name));
    },
  };
}
