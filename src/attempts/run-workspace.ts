/** The tree of a run: made once, and given to each of its attempts as the last one left it. */
import type { RunId } from '../base/ids.ts';
import type { KeptElsewhere, Workspace } from '../workspace/make.ts';
import { makeWorkspace } from '../workspace/make.ts';
import type { WorkspacePorts } from '../workspace/workspace.ts';
import type { WithGrants } from './prepare-tree.ts';

/** An attempt that follows a lost one goes on in the same tree, so a run has one. */
export const TREE = 1;

export type RunWorkspacePorts = {
  readonly stateDir: string;
  /** What the run that this one goes on from had kept; undefined for a run of its own. */
  readonly keptBefore: (run: RunId) => Promise<KeptElsewhere | undefined>;
};

export function runWorkspace(
  run: RunId,
  { project, sandbox }: { readonly project: string; readonly sandbox: WithGrants },
  { stateDir, keptBefore }: RunWorkspacePorts,
  ports: WorkspacePorts,
): Promise<Workspace> {
  const gitIdentity = sandbox.grants?.gitIdentity ?? null;
  return makeWorkspace(
    {
      path: project,
      home: stateDir,
      run,
      attempt: TREE,
      goesOnFrom: () => keptBefore(run),
      ...(gitIdentity === null ? {} : { identity: gitIdentity }),
    },
    ports,
  );
}
