/** Runs that go on as new ones: from before a bad end, or from any of their facts. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { AGENT_PROGRAM } from '../../protocol/long-lived-agent.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { readHistoryOfRun } from '../run-reader.ts';
import { isResumable, nothingToResume, resumePoint } from './resume-point.ts';

/** Where a run that ended badly goes on as a new one; undefined: it has not ended, and simply goes on. */
export async function resumePointOf(view: RunView, journal: Journal): Promise<number | undefined> {
  const { outcome } = view;
  if (outcome === null) return undefined;
  const isLeft = isResumable(view, outcome);
  const point = isLeft ? await resumePoint(readHistoryOfRun(journal, view.id as RunId)) : undefined;
  if (point === undefined) throw nothingToResume(view, outcome);
  return point;
}

/** Refuses a long-lived agent: two with one name and one workspace would be in each other's way. */
export function refuseAgent({ id, program }: Pick<RunView, 'id' | 'program'>): void {
  if (program !== AGENT_PROGRAM) return;
  throw new Refusal({
    code: 'request.invalid',
    message: `${id} is a long-lived agent: it has one history, which can't be forked.`,
    hint: 'Spawn another one with: supervisor spawn "…"',
  });
}
