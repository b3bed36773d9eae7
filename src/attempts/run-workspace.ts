/** The tree of a run: made once, and given to each of its attempts as the last one left it. */
import { Refusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import { discardWorkspace } from '../workspace/keep.ts';
import type { KeptElsewhere, Workspace } from '../workspace/make.ts';
import { makeWorkspace } from '../workspace/make.ts';
import type { Place, WorkspacePorts } from '../workspace/workspace.ts';
import { readRecord } from '../workspace/workspace.ts';
import type { WithGrants } from './prepare-tree.ts';

/** An attempt that follows a lost one goes on in the same tree, so a run has one, unless that is given up for another. */
export const FIRST_TREE = 1;

export type RunWorkspacePorts = {
  readonly stateDir: string;
  /** What the run that this one goes on from had kept; undefined for a run of its own. */
  readonly keptBefore: (run: RunId) => Promise<KeptElsewhere | undefined>;
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
  const workspace = await makeWorkspace(
    {
      path: project,
      home: stateDir,
      run,
      attempt: tree,
      // One that follows another within the run is to have nothing of what was before.
      ...(tree === FIRST_TREE ? { goesOnFrom: () => keptBefore(run) } : {}),
      ...(gitIdentity === null ? {} : { identity: gitIdentity }),
    },
    ports,
  );
  if (tree > FIRST_TREE) await giveUp({ ...workspace.place, attempt: tree - 1 }, ports);
  return workspace;
}

/** Its work stays on its ref. What can't be kept or is still held stays as it is, for whoever clears up. */
async function giveUp(place: Place, ports: WorkspacePorts): Promise<void> {
  try {
    if ((await readRecord(place)) !== undefined) await discardWorkspace(place, ports);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error; // anything else is a defect
  }
}
