/** What to type if an apply is refused: it depends on where the work of the run already is. */
import { isInPlace, wasThere } from '../../protocol/views/applied-view.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import { describeApplied } from '../../protocol/views/applied-view.ts';

/** `files`: in the files, not committed. `commit`: in a commit of the checkout. `branch`: only on a branch. */
type WorkPlace = 'nowhere' | 'files' | 'commit' | 'branch';

function placeOfWork(applied: AppliedView | null): WorkPlace {
  if (applied === null || !isInPlace(applied) || wasThere(applied)) return 'nowhere';
  if (applied.kind === 'branch') return applied.into === undefined ? 'branch' : 'commit';
  return applied.commit === null ? 'files' : 'commit';
}

export type ApplyAdvice = { readonly message: string; readonly hint: string };

/** The work and the user's changes are in the same lines. `message`: which files. */
export function adviceAfterConflict(
  run: string,
  applied: AppliedView | null,
  message: string,
  now: number,
): ApplyAdvice {
  const place = placeOfWork(applied);
  if (applied === null || place === 'nowhere')
    return {
      message,
      hint: `Put the work on a new branch: supervisor apply ${run} --branch work-${run}. Then merge it: git merge work-${run}`,
    };
  if (place === 'branch')
    return {
      message: `${message} The work is already on the branch ${applied.branch ?? ''}.`,
      hint: `Merge it with: git merge ${applied.branch ?? ''}`,
    };
  const out = place === 'files' ? `apply --undo ${run}` : `rollback ${run}`;
  return {
    message: `The project already has the work of run ${run} (${describeApplied(applied, now)}), and you changed the same files since then. Nothing was applied.`,
    hint: `Compare them with: supervisor diff ${run}. To take the work out: supervisor ${out}`,
  };
}

/** The branch of that name exists. It may have this work. */
export function adviceAboutBranch(
  run: string,
  applied: AppliedView | null,
  branch: string,
): ApplyAdvice {
  const message = `The branch ${branch} already exists.`;
  const isOwn = placeOfWork(applied) === 'branch' && applied?.branch === branch;
  return isOwn
    ? {
        message: `${message} It has the work of run ${run}.`,
        hint: `Merge it with: git merge ${branch}`,
      }
    : { message, hint: `Choose another name: supervisor apply ${run} --branch NAME` };
}
