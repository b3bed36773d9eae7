/**
 * The current work of a workflow, of the best of several agents, or of a feature, by the program's own fold. So people see
 * exactly what the next step gets.
 */
import type { RunId } from '../../base/ids.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import type { WorkAt } from '../../execution/work-point.ts';
import { workIn } from '../../execution/work-point.ts';
import { BEST_OF_PROGRAM } from '../../protocol/best-of.ts';
import { FEATURE_PROGRAM } from '../../protocol/feature.ts';
import { workOfFeature } from '../features/work-of-feature.ts';
import type { Journal } from '../../store/journal.ts';
import type { BestOfState } from '../../workflow/best-of/best-of-program.ts';
import { bestOfProgram } from '../../workflow/best-of/best-of-program.ts';
import { workflowProgram } from '../../workflow/workflow-program.ts';
import type { WorkflowState } from '../../workflow/workflow-state.ts';
import type { WorkspacePorts } from '../../workspace/workspace.ts';

/**
 * Undefined: no step has changed anything. `home` is the home folder of Supervisor, `spanned` the path of one of
 * the projects of a feature.
 */
export async function workOfWorkflow(
  journal: Journal,
  run: RunId,
  home: string,
  git: WorkspacePorts,
  spanned?: string,
): Promise<WorkAt | undefined> {
  const program = (await journal.run(run))?.program;
  if (program === FEATURE_PROGRAM) return workOfFeature(journal, run, spanned, home, git);
  const isBestOf = program === BEST_OF_PROGRAM;
  const loaded = await (isBestOf
    ? loadRun(journal, bestOfProgram, run)
    : loadRun(journal, workflowProgram, run));
  if (loaded === undefined) return undefined;
  const { project, work } = loaded.state as WorkflowState | BestOfState;
  const isStored = isBestOf || (loaded.state as WorkflowState).size !== null;
  return work === null || !isStored ? undefined : workIn(project, work, home, git);
}
