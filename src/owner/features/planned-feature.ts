/** What a run has planned so far, by the program's own fold. */
import { Refusal } from '../../base/errors.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import { planningProgram } from '../../plan/planning/planning-program.ts';
import type { PlanningState } from '../../plan/planning/planning-state.ts';
import { planOf, planningOf } from '../../plan/planning/planning-state.ts';
import { PLANNING_PROGRAM } from '../../protocol/planning.ts';
import type { PlannedView } from '../../protocol/views/feature-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';

export async function viewPlanned(
  journal: Journal,
  { id, program, outcome }: RunView,
): Promise<PlannedView> {
  const loaded =
    program === PLANNING_PROGRAM ? await loadRun(journal, planningProgram, id) : undefined;
  if (loaded === undefined)
    throw new Refusal({
      code: 'request.invalid',
      message: `Run ${id} plans no feature.`,
      hint: 'Plan one with: supervisor plan "let customers pay by invoice"',
    });
  const state = loaded.state as PlanningState;
  const { text } = state;
  return {
    ...{ run: id, feature: planningOf(state).id, outcome },
    // A plan whose phases are not all detailed is not the plan that was asked for.
    text: outcome?.kind === 'succeeded' && text !== '' ? text : null,
    risks: [...(planOf(state)?.risks ?? [])],
  };
}
