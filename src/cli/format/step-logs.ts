/** Where the logs of a workflow's steps are. Each role of a step works in a run of its own. */
import type { WorkflowView } from '../../protocol/views/workflow-view.ts';

/** One line for each run of a step, in the order in which the steps began. Empty: none has begun. */
export function describeStepLogs(workflow: WorkflowView | null): readonly string[] {
  const steps = workflow?.steps.toSorted((a, b) => a.last - b.last) ?? [];
  return steps.flatMap(({ id, runs }) =>
    runs.map(({ run, role, visit }) => {
      const which = visit > 1 ? `#${visit}` : '';
      return `Step ${id}${which} (${role}): supervisor logs ${run}`;
    }),
  );
}
