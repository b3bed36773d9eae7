/** How far a comparison of workflows is, by the program's own fold. */
import { Refusal } from '../../base/errors.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import { ABLATION_PROGRAM } from '../../protocol/ablation.ts';
import type { AblationView } from '../../protocol/views/ablation-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { ablationProgram } from '../../workflow/ablation/ablation-program.ts';
import type { AblationState } from '../../workflow/ablation/ablation-state.ts';

export async function viewAblation(
  journal: Journal,
  { id, program, outcome }: RunView,
): Promise<AblationView> {
  const loaded =
    program === ABLATION_PROGRAM ? await loadRun(journal, ablationProgram, id) : undefined;
  if (loaded === undefined) throw noComparison(id);
  const { settings, results } = loaded.state as AblationState;
  const { template, step, seed, tasks, trials } = settings.ablation;
  const current = outcome === null ? (trials[results.length] ?? null) : null;
  return {
    run: id,
    ...{ template, step, seed },
    tasks: [...tasks],
    planned: trials.length,
    results: [...results],
    current,
    outcome,
  };
}

function noComparison(id: string): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${id} compares no workflows.`,
    hint: 'Start a comparison with: supervisor ablate',
  });
}
