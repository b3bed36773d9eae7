/** Finds the runs that continue an ended run. */
import type { RunView } from '../../protocol/views/run-view.ts';
import { continuations, runsAfter } from '../../protocol/views/continuations.ts';
import type { Journal } from '../../store/journal.ts';

/** So many of the newest runs of a project are searched. */
const SEARCHED_MAX = 1000;

/** The newest run that continues this one, directly or through others. Null: it has not ended, or there is none. */
export async function findContinuation(
  journal: Pick<Journal, 'runs'>,
  { id, project, outcome }: Pick<RunView, 'id' | 'project' | 'outcome'>,
): Promise<string | null> {
  if (outcome === null) return null;
  const runs = await journal.runs({ project, limit: SEARCHED_MAX });
  return continuations(runs).get(id) ?? null;
}

/** All runs that continue this one, directly or through others, among the newest of the project. */
export async function runsThatContinue(
  journal: Pick<Journal, 'runs'>,
  { id, project }: Pick<RunView, 'id' | 'project'>,
): Promise<readonly RunView[]> {
  return runsAfter(id, await journal.runs({ project, limit: SEARCHED_MAX }));
}
