/** The tree of a run: made once, and given to each of its attempts as the last one left it. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { discardTree } from '../../workspace/commit-tree.ts';
import type { EarlierCommit, Workspace } from '../../workspace/create-workspace.ts';
import { createWorkspace } from '../../workspace/create-workspace.ts';
import type { TreeFileOps } from '../../workspace/tree-file-ops.ts';
import { realTreeFileOps } from '../../workspace/tree-file-ops.ts';
import type { WorkspaceId, WorkspacePorts } from '../../workspace/workspace.ts';
import type { PinnedSandbox } from '../../protocol/pinned-settings.ts';

/**
 * An attempt after an interruption continues in the same tree, so a run has one, unless that is
 * given up for another.
 */
export const FIRST_TREE = 1;

export type RunWorkspacePorts = {
  readonly stateDir: string;
  /** The saved work of the run that this one continues; undefined for a new run. */
  readonly keptBefore: (run: RunId) => Promise<EarlierCommit | undefined>;
};

type Wanted = {
  readonly project: string;
  readonly sandbox: Pick<PinnedSandbox, 'grants'>;
  readonly tree?: number;
};

export async function runWorkspace(
  run: RunId,
  { project, sandbox, tree = FIRST_TREE }: Wanted,
  { stateDir, keptBefore }: RunWorkspacePorts,
  ports: WorkspacePorts,
): Promise<Workspace> {
  const gitIdentity = sandbox.grants.gitIdentity;
  const workspace = await createWorkspace(
    {
      path: project,
      home: stateDir,
      run,
      attempt: tree,
      // One that follows another within the run is to have nothing of what was before.
      ...(tree === FIRST_TREE ? { findEarlierWork: () => keptBefore(run) } : {}),
      ...(gitIdentity === null ? {} : { identity: gitIdentity }),
    },
    ports,
  );
  if (tree > FIRST_TREE) {
    const before = { ...workspace.place, attempt: tree - 1 };
    await giveUpTree(before, realTreeFileOps(before, ports));
  }
  return workspace;
}

/**
 * Its work stays on its ref. A tree that can't be saved, or is still held, stays for a later
 * clean-up.
 */
export async function giveUpTree(place: WorkspaceId, hands: TreeFileOps): Promise<void> {
  try {
    if ((await hands.record()) !== undefined) await discardTree(place, hands);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error; // anything else is a defect
  }
}
