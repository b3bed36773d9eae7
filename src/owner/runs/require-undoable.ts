/** Decides whether an apply can be undone. Only an apply that changed files, and that is not committed, can. */
import { Refusal } from '../../base/errors.ts';
import type { ApplyRecord } from '../applies/fold-applies.ts';

/** The state that an undo restores. Refuses with `workspace.not-undoable`, and says what to type instead. */
export function requireUndoable(run: string, record: ApplyRecord | undefined): string {
  if (record === undefined) throw notApplied(run);
  const { kind, branch, commit, before } = record;
  if (kind === 'branch')
    throw refusal(
      `The work of run ${run} is on the branch ${branch ?? ''}, and your files were not changed.`,
      `Delete the branch with: supervisor rollback ${run}`,
    );
  if (commit !== null)
    throw refusal(
      `The work of run ${run} is committed as ${commit.slice(0, 12)}.`,
      `Undo the commit with: supervisor rollback ${run}`,
    );
  if (before !== null) return before;
  throw refusal(
    `The apply of run ${run} recorded no state before it.`,
    'Restore the files with your own git.',
  );
}

export function notApplied(run: string): Refusal {
  return refusal(
    `The work of run ${run} is not applied, so there is nothing to undo or to commit.`,
    `Apply it with: supervisor apply ${run}`,
  );
}

function refusal(message: string, hint: string): Refusal {
  return new Refusal({ code: 'workspace.not-undoable', message, hint });
}
