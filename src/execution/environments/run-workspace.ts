/** The tree of a run. It is created once, and each attempt continues with what the last one left. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { discardTree } from '../../workspace/commit-tree.ts';
import type { EarlierCommit, Workspace } from '../../workspace/create-workspace.ts';
import { createWorkspace } from '../../workspace/create-workspace.ts';
import type { TreeFileOps } from '../../workspace/tree-file-ops.ts';
import type { TreeProgress } from '../../workspace/git.ts';
import { realTreeFileOps } from '../../workspace/tree-file-ops.ts';
import type { WorkspaceId, WorkspacePorts } from '../../workspace/workspace.ts';
import type { PinnedSandbox } from '../../protocol/pinned-settings.ts';

/**
 * The number of a run's first tree. A run has one tree, because an attempt after an interruption continues
 * in it. A long-lived agent may discard its tree and start the next one.
 */
export const FIRST_TREE = 1;

export type RunWorkspacePorts = {
  readonly stateDir: string;
  /** The saved work that this run continues, in the project with this root; undefined for a new run. */
  readonly findEarlierWork: (run: RunId, root: string) => Promise<EarlierCommit | undefined>;
  readonly onPreparing?: OnPreparing;
};

/** How far the workspace of a run is. Null: it is ready, or the preparation was cancelled. */
export type OnPreparing = (run: string, progress: TreeProgress | null) => void;

type WorkspaceRequest = {
  readonly project: string;
  readonly sandbox: Pick<PinnedSandbox, 'grants'>;
  readonly tree?: number;
};

export async function runWorkspace(
  run: RunId,
  { project, sandbox, tree = FIRST_TREE }: WorkspaceRequest,
  { stateDir, findEarlierWork, onPreparing }: RunWorkspacePorts,
  git: WorkspacePorts,
): Promise<Workspace> {
  const gitIdentity = sandbox.grants.gitIdentity;
  const ports: WorkspacePorts = {
    ...git,
    onProgress: (progress) => onPreparing?.(run, progress),
  };
  const workspace = await createWorkspace(
    {
      path: project,
      home: stateDir,
      run,
      attempt: tree,
      // A later tree of the same run starts without earlier work.
      ...(tree === FIRST_TREE ? { findEarlierWork: (root) => findEarlierWork(run, root) } : {}),
      ...(gitIdentity === null ? {} : { identity: gitIdentity }),
    },
    ports,
  ).finally(() => onPreparing?.(run, null));
  if (tree > FIRST_TREE) {
    const before = { ...workspace.id, attempt: tree - 1 };
    await discardTreeIfPossible(before, realTreeFileOps(before, git));
  }
  return workspace;
}

/**
 * The work stays on its ref. A tree that can't be committed, or is still in use, stays for a later
 * cleanup.
 */
export async function discardTreeIfPossible(
  workspace: WorkspaceId,
  fileOps: TreeFileOps,
): Promise<void> {
  try {
    if ((await fileOps.record()) !== undefined) await discardTree(workspace, fileOps);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error; // anything else is a defect
  }
}
