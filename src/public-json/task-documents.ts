/** What `complete-task` and `rollback` print. */
import { z } from 'zod';
import { documentSchema, field, runId } from './document.ts';

const state = field(
  z.enum(['preview', 'unchanged', 'done']),
  'preview: only shown. unchanged: there was nothing left to do.',
);

export const TaskCompletionDocument = documentSchema(
  'task-completion',
  'What complete-task has done, or would do.',
  {
    run_id: runId,
    state,
    branch: field(z.string(), 'The branch that has the work, or would get it.'),
    commit: field(z.string().nullable(), 'The last commit of the branch. Null: none is made yet.'),
    message: field(z.string(), 'The message of the commit.'),
    files: z.array(
      z.strictObject({
        path: z.string(),
        added: field(z.int().nullable(), 'Added lines. Null: the file is not text.'),
        removed: field(z.int().nullable(), 'Removed lines. Null: the file is not text.'),
      }),
    ),
    merged_into: field(z.string().nullable(), 'The branch that has it after a merge.'),
    pull_request: field(z.string().nullable(), 'Its address.'),
    pull_requests: field(
      z.array(z.string()),
      'Those that were opened now, the lowest one first. With --stacked, one for each phase.',
    ),
  },
);
export type TaskCompletionDocument = z.infer<typeof TaskCompletionDocument>;

export const RollbackDocument = documentSchema(
  'rollback',
  'What rollback has undone, or would undo.',
  {
    run_id: runId,
    state,
    action: field(
      z.enum(['restore-files', 'revert-commits', 'shorten-branch', 'delete-branch']),
      'The work was applied to the files, is in the branch that is checked out, or is on a branch of its own.',
    ),
    files_changed: z.int(),
    branch: field(z.string().nullable(), 'The branch that was changed or deleted.'),
    commits: field(z.array(z.string()), 'The commits that are undone, newest first.'),
    reverted_by: field(z.array(z.string()), 'The commits that undo them.'),
  },
);
export type RollbackDocument = z.infer<typeof RollbackDocument>;
