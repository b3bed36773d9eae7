/** How the work of a run came into the user's project, and whether it is still there. */
import { z } from 'zod';
import { formatTime } from '../../base/format-time.ts';
import { plural } from '../../base/text.ts';

export const AppliedView = z.strictObject({
  /** `files`: the files of the project were changed. `branch`: a new branch has the work. */
  kind: z.enum(['files', 'branch']),
  /** Milliseconds since 1970. */
  at: z.number(),
  files: z.number().int(),
  /** Files that both the user and the agent had changed. */
  merged: z.number().int(),
  /** The new branch, or the one that was checked out. Null: none was, or the project is no repository. */
  branch: z.string().nullable(),
  /** The commit of the user's repository that has the work. */
  commit: z.string().nullable(),
  /** The branch that the branch with the work was merged into. Absent: it was not, or only outside of Supervisor. */
  into: z.string().exactOptional(),
  /** When the files were restored, or the commits reverted. Null: the work is still applied. */
  undone: z.number().nullable(),
  /** A file of the work is no longer as it was applied: changed, reverted or deleted. */
  changed: z.literal(true).exactOptional(),
});
export type AppliedView = z.infer<typeof AppliedView>;

/** One sentence without its full stop: `applied 2 files to main 5m12s ago, committed as 1a2b3c4d5e6f`. */
export function describeApplied(view: AppliedView, now: number): string {
  const { kind, files, branch, commit } = view;
  if (wasThere(view)) return `the project already had all of it ${formatTime(view.at, now)}`;
  const where =
    kind === 'branch' ? `on the new branch ${branch ?? ''}` : `to ${branch ?? 'the project'}`;
  const made = commit === null ? '' : `, committed as ${commit.slice(0, 12)}`;
  const into = view.into === undefined ? '' : `, merged into ${view.into}`;
  const undone =
    view.undone === null ? '' : `, ${undoneWord(view)} ${formatTime(view.undone, now)}`;
  const changed =
    view.changed === true && view.undone === null ? ', later changed in the project' : '';
  return `applied ${plural(files, 'file')} ${where} ${formatTime(view.at, now)}${made}${into}${undone}${changed}`;
}

/** The same in one cell of a table. */
export function appliedCell(view: AppliedView, now: number): string {
  const { branch, into, at, undone, changed } = view;
  if (wasThere(view)) return 'was there';
  if (undone !== null) return `${undoneWord(view)} ${formatTime(undone, now)}`;
  if (changed === true) return 'changed since';
  const where = into ?? branch;
  return `${where === null ? '' : `${where}, `}${formatTime(at, now)}`;
}

/** Files are restored. A branch or a commit is rolled back. */
function undoneWord({ kind, commit }: AppliedView): string {
  return kind === 'branch' || commit !== null ? 'rolled back' : 'undone';
}

/** The apply changed nothing, because the project already had all of the work. */
export function wasThere({ kind, files }: Pick<AppliedView, 'kind' | 'files'>): boolean {
  return kind === 'files' && files === 0;
}

export function isInPlace(view: AppliedView | null): boolean {
  return view !== null && view.undone === null;
}
