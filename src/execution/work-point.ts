/** Finds the workspace of a state of the work of a workflow. */
import { Refusal } from '../base/errors.ts';
import { parseRunId } from '../base/ids.ts';
import type { WorkPoint } from '../protocol/contracts/workflow-contract.ts';
import { inspectProject } from '../workspace/project.ts';
import type { WorkspaceId, WorkspacePorts } from '../workspace/workspace.ts';

export type WorkAt = { readonly workspace: WorkspaceId; readonly commit: string };

/** `root` is the root of the project that the work belongs to. */
export function workAt({ run, tree, commit }: WorkPoint, home: string, root: string): WorkAt {
  const id = parseRunId(run);
  if (id === undefined)
    throw new Refusal({
      code: 'workspace.not-found',
      message: `The work ${commit.slice(0, 12)} belongs to ${JSON.stringify(run)}, which is no run.`,
      hint: 'Start the workflow again.',
    });
  return { workspace: { home, root, run: id, attempt: tree }, commit };
}

/** The same, if only the folder of the project is known. */
export async function workIn(
  project: string,
  point: WorkPoint,
  home: string,
  git: WorkspacePorts,
): Promise<WorkAt> {
  const { root } = await inspectProject(git, { path: project, home });
  return workAt(point, home, root);
}
