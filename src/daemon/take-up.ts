/** Runs that go on as new ones: from before a bad end, or from any of their facts. */
import { Refusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { Engine } from '../engine/engine.ts';
import { LIFE_PROGRAM } from '../protocol/life.ts';
import type { RunView } from '../protocol/run-view.ts';
import type { Journal } from '../store/journal.ts';
import { historyOf } from './history.ts';
import { resumePoint } from './resume-point.ts';

/** The run that it goes on as: itself while it has not ended. */
export async function resumed(
  view: RunView,
  engine: Pick<Engine, 'fork'>,
  journal: Journal,
): Promise<RunId> {
  const id = view.id as RunId;
  if (view.outcome === null) return id;
  refuseAgent(view);
  const done = view.outcome.kind === 'succeeded' || view.outcome.kind === 'unverified';
  const point = done ? undefined : await resumePoint(historyOf(journal, id));
  if (point !== undefined) return engine.fork(id, point);
  throw new Refusal({
    code: 'run.already-ended',
    message: `Run ${id} has ended (${view.outcome.kind}); there is nothing to take up.`,
    hint: 'Submit the task again with: supervisor run "…"',
  });
}

/** Refuses a long-lived agent: two with one name and one workspace would be in each other's way. */
export function refuseAgent({ id, program }: Pick<RunView, 'id' | 'program'>): void {
  if (program !== LIFE_PROGRAM) return;
  throw new Refusal({
    code: 'agent.over',
    message: `${id} is a long-lived agent: it has one history, which can't be taken up anew.`,
    hint: 'Summon another one with: supervisor spawn "…"',
  });
}
