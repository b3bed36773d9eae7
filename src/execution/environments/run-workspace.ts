/** The tree of a run: made once, and given to each of its attempts as the last one left it. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { discardTree } from '../../workspace/commit-tree.ts';
import type { EarlierCommit, Workspace } from '../../workspace/create-workspace.ts';
import { createWorkspace } from '../../workspace/create-workspace.ts';
import type { TreeFileOps } from '../../workspace/tree-file-ops.ts';
import { realTreeFileOps } from '../../workspace/tree-file-ops.ts';
import type { WorkspaceId, WorkspacePorts } from '../../workspace/workspace.ts';
import type { WithGrants } from './prepare-tree.ts';

/** An attempt that follows a lost one goes on in the same tree, so a run has one, unless that is given up for another. */
export const FIRST_TREE = 1;

export type RunWorkspacePorts = {
  readonly stateDir: string;
  /** What the run that this one goes on from had kept; undefined for a run of its own. */
  readonly keptBefore: (run: RunId) => Promise<EarlierCommit | undefined>;
};

type Wanted = {
  readonly project: string;
  readonly sandbox: WithGrants;
  readonly tree?: number;
};

export async function runWorkspace(
  run: RunId,
  { project, sandbox, tree = FIRST_TREE }: Wanted,
  { stateDir, keptBefore }: RunWorkspacePorts,
  ports: WorkspacePorts,
): Promise<Workspace> {
  const gitIdentity = sandbox.grants?.gitIdentity ?? null;
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

/** Its work stays on its ref. What can't be kept or is still held stays as it is, for whoever clears up. */
export async function giveUpTree(place: WorkspaceId, hands: TreeFileOps): Promise<void> {
  try {
    if ((await hands.record()) !== undefined) await discardTree(place, hands);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error; // anything else is a defect
  }
}
