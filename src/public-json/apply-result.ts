/** How the work of a run came into the project, as scripts read it. */
import { z } from 'zod';
import type { Applied, Undone } from '../protocol/api.ts';
import type { AppliedView } from '../protocol/views/applied-view.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import { acceptedGates } from './accepted-field.ts';
import { documentSchema, field, runId, time, toIso, toIsoOrNull } from './document.ts';

const target = field(
  z.enum(['files', 'branch']),
  'files: the files of the project were changed. branch: a new branch has the work.',
);
const branch = field(z.string().nullable(), 'The new branch, or the one that was checked out.');
const commit = field(z.string().nullable(), 'The commit of your repository that has the work.');

/** A part of each document about a run. */
export const AppliedWork = z.strictObject({
  target,
  at: time,
  files_changed: z.int(),
  files_merged: field(z.int(), 'Files that both you and the agent had changed.'),
  branch,
  commit,
  merged_into: field(
    z.string().nullable(),
    'The branch that complete-task has merged the branch of the work into.',
  ),
  undone_at: field(time.nullable(), 'When the files were restored. Null: it is still applied.'),
  changed_since: field(
    z.boolean(),
    'Whether a file of the work is no longer as it was applied, such as after a git revert.',
  ),
});
type AppliedWork = z.infer<typeof AppliedWork>;

export function appliedWork(view: AppliedView | null): AppliedWork | null {
  if (view === null) return null;
  return {
    target: view.kind,
    at: toIso(view.at),
    files_changed: view.files,
    files_merged: view.merged,
    branch: view.branch,
    commit: view.commit,
    merged_into: view.into ?? null,
    undone_at: toIsoOrNull(view.undone),
    changed_since: view.changed === true,
  };
}

export const ApplyDocument = documentSchema('apply', 'What apply has done.', {
  run_id: runId,
  state: field(
    z.enum(['applied', 'unchanged', 'undone']),
    'unchanged: the run changed no file, or the project already had the work. undone: its files are as before the apply.',
  ),
  target,
  files_changed: z.int(),
  files_merged: field(z.int(), 'Files that both you and the agent had changed.'),
  branch,
  commit,
  accepted_gates: acceptedGates,
});
type ApplyDocument = z.infer<typeof ApplyDocument>;

/** A commit that your own git made of the applied files. */
type OwnCommit = { readonly made: string; readonly branch: string | null };

/** `applied` is undefined if the work was applied before, and is only committed now. */
export function applyDocument(
  { id, accepted }: Pick<RunView, 'id' | 'accepted'>,
  applied: Applied | undefined,
  own?: OwnCommit,
): ApplyDocument {
  const files = applied?.files ?? 0;
  const isNew = files > 0 || (applied?.branch ?? null) !== null;
  return {
    schema: 'supervisor.apply/1',
    run_id: id,
    state: isNew ? 'applied' : 'unchanged',
    target: (applied?.branch ?? null) === null ? 'files' : 'branch',
    files_changed: files,
    files_merged: applied?.merged ?? 0,
    branch: own?.branch ?? applied?.branch ?? applied?.onto ?? null,
    commit: own?.made ?? applied?.made ?? null,
    accepted_gates: accepted,
  };
}

export function undoDocument(run: string, { files }: Undone): ApplyDocument {
  return {
    schema: 'supervisor.apply/1',
    run_id: run,
    state: 'undone',
    target: 'files',
    files_changed: files,
    files_merged: 0,
    branch: null,
    commit: null,
    accepted_gates: [],
  };
}
