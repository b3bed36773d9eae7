/** Finds the last committed work of a run. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { WorkspaceId } from '../../workspace/workspace.ts';
import type { RunTrees } from './run-trees.ts';

export type FindWorkPorts = {
  /** The home folder of Supervisor. */
  readonly home: string;
  readonly trees: Pick<RunTrees, 'last' | 'commitLeftovers'>;
  /** Refuses with `run.not-found`. */
  readonly view: (id: RunId) => Promise<RunView>;
  /** The facts of a run, newest first. */
  readonly historyBack: (id: RunId) => AsyncIterable<StoredEvent>;
};

export type FoundWork = { readonly workspace: WorkspaceId; readonly commit: string };

/** Refuses with `workspace.not-found` if there is none. */
export async function findWork(ports: FindWorkPorts, id: RunId): Promise<FoundWork> {
  const { outcome } = await ports.view(id);
  let committed: FoundWork | undefined;
  // A run may have a million facts, and its last commit is among the newest, so they are read
  // backwards.
  let isLatest = true;
  for await (const event of ports.historyBack(id)) {
    if (event.type === 'command.begun' && event.payload.command === 'attempt') isLatest = false;
    if (event.type !== 'command.noted' || event.payload.note.kind !== 'committed') continue;
    const { root, tree, commit } = event.payload.note;
    const workspace = { home: ports.home, root, run: id, attempt: tree };
    committed = { workspace, commit };
    break;
  }
  if ((committed === undefined || !isLatest) && outcome !== null)
    committed = (await commitNow(ports, id)) ?? committed;
  if (committed !== undefined) return committed;
  throw new Refusal({
    code: 'workspace.not-found',
    message: `Run ${id} has no committed work: it has not come that far, or it worked directly in the project.`,
    hint: `To see its output: supervisor logs ${id}`,
  });
}

/**
 * An attempt that was interrupted because the owner process died has committed nothing. Its work is
 * still in its tree.
 */
async function commitNow({ trees }: FindWorkPorts, id: RunId): Promise<FoundWork | undefined> {
  const workspace = await trees.last(id);
  const commit = workspace === undefined ? undefined : await trees.commitLeftovers(workspace);
  return workspace === undefined || commit === undefined ? undefined : { workspace, commit };
}
