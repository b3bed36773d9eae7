/**
 * Lets a person change the work that a question is about. They get a checkout of it, and what they leave there becomes
 * the work. The repository inside the checkout is theirs and is never read: only the files count.
 */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { commitNote } from '../../execution/commit-note.ts';
import type { WorkAt } from '../../execution/work-point.ts';
import type { EditedWork } from '../../protocol/approval.ts';
import type { EditView } from '../../protocol/views/approval-view.ts';
import { unstorableIn } from '../../workspace/commit-tree.ts';
import { commitWorkspace, findLast } from '../../workspace/commit-work.ts';
import { createWorkspace } from '../../workspace/create-workspace.ts';
import type { WorkspaceId, WorkspacePorts } from '../../workspace/workspace.ts';
import { readRecord } from '../../workspace/workspace.ts';

export type EditPorts = {
  /** The home folder of Supervisor. */
  readonly home: string;
  readonly git: WorkspacePorts;
  /** The current work of a workflow. */
  readonly work: (run: RunId) => Promise<WorkAt | undefined>;
};

/** The trees of the workflow's own run hold edits, and what its command steps wrote. Role steps are runs with their own. */
const FIRST_EDIT = 1;
const NAMES_SHOWN = 5;

/**
 * Returns the checkout of this work, and creates it if there is none. What was changed there already stays. `content`
 * names the work.
 */
export async function openEdit(
  run: RunId,
  project: string,
  content: string,
  { home, git, work }: EditPorts,
): Promise<EditView> {
  const current = await work(run);
  if (current === undefined) throw nothingToEdit(run);
  const last = await findLast(home, run);
  const isOpen = last !== undefined && (await startsWith(last, current));
  const attempt = isOpen ? last.attempt : (last?.attempt ?? FIRST_EDIT - 1) + 1;
  const tree = await createWorkspace(
    {
      ...{ path: project, home, run, attempt },
      findEarlierWork: () => Promise.resolve({ ...current, isRequired: true }),
    },
    git,
  );
  tree.release();
  return { folder: tree.cwd, work: content };
}

/** The files of the checkout as a commit on a ref. It can be repeated: the same files are the same work. */
export async function takeEdit(
  run: RunId,
  content: string,
  { home, git, work }: EditPorts,
): Promise<EditedWork> {
  const current = await work(run);
  const last = await findLast(home, run);
  if (current === undefined || last === undefined || !(await startsWith(last, current)))
    throw notOpened(run);
  const committed = await commitWorkspace(last, git);
  const lost = unstorableIn(committed.oddities).map(({ path }) => path);
  if (lost.length > 0) throw unstorable(lost);
  const { note } = commitNote(last, committed);
  if (note.content === content) throw unchanged(run);
  const { tree, commit, files, added, deleted, names } = note;
  const size = { files, added, deleted, names: [...names] };
  return { run, tree, commit, content: note.content, ...size };
}

async function startsWith(workspace: WorkspaceId, { commit }: WorkAt): Promise<boolean> {
  return (await readRecord(workspace))?.start === commit;
}

function nothingToEdit(run: RunId): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `Run ${run} has no work that could be edited: none of its steps changed a file.`,
    hint: 'See what it asks with: supervisor inbox',
  });
}

function notOpened(run: RunId): Refusal {
  return new Refusal({
    code: 'approval.not-edited',
    message: `There is no checkout of the current work of run ${run}.`,
    hint: `Create one with: supervisor edit ${run}`,
  });
}

function unchanged(run: RunId): Refusal {
  return new Refusal({
    code: 'approval.not-edited',
    message: `The checkout of run ${run} has the same files as the work, so there is nothing to take.`,
    hint: `Change files there first. To see the folder: supervisor edit ${run}`,
  });
}

function unstorable(paths: readonly string[]): Refusal {
  const more = paths.length > NAMES_SHOWN ? ` and ${paths.length - NAMES_SHOWN} more` : '';
  return new Refusal({
    code: 'approval.not-edited',
    message: `Git cannot store these files of the checkout: ${paths.slice(0, NAMES_SHOWN).join(', ')}${more}.`,
    hint: 'Remove or rename them, then try again.',
  });
}
