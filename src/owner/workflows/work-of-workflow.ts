/** The current work of a workflow, by the program's own fold, so that people see exactly what the next step gets. */
import type { RunId } from '../../base/ids.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import type { WorkAt } from '../../execution/work-point.ts';
import { workIn } from '../../execution/work-point.ts';
import type { Journal } from '../../store/journal.ts';
import { workflowProgram } from '../../workflow/workflow-program.ts';
import type { WorkflowState } from '../../workflow/workflow-state.ts';
import type { WorkspacePorts } from '../../workspace/workspace.ts';

/** Undefined: no step has changed anything. `home` is the home folder of Supervisor. */
export async function workOfWorkflow(
  journal: Journal,
  run: RunId,
  home: string,
  git: WorkspacePorts,
): Promise<WorkAt | undefined> {
  const loaded = await loadRun(journal, workflowProgram, run);
  if (loaded === undefined) return undefined;
  const { project, work, size } = loaded.state as WorkflowState;
  return work === null || size === null ? undefined : workIn(project, work, home, git);
}
