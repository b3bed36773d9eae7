/** The steps of a workflow, as `status --json` prints them. */
import { z } from 'zod';
import { RunOutcome } from '../protocol/outcome.ts';
import type { WorkflowView } from '../protocol/views/workflow-view.ts';
import { STEP_STATES } from '../protocol/views/workflow-view.ts';
import { field, runId } from './document.ts';

export const StepStatus = z.strictObject({
  step: z.string(),
  kind: field(z.string(), 'role, gate, human, review, command or commit.'),
  state: field(
    z.enum(STEP_STATES),
    'asking: a person decides. rejected: its verdict sent the work back.',
  ),
  visits: field(z.int(), 'How often it has begun.'),
  runs: field(
    z.array(
      z.strictObject({
        run_id: runId,
        role: z.string(),
        visit: z.int(),
        outcome: field(RunOutcome.shape.kind.nullable(), 'Null: it has not ended.'),
      }),
    ),
    'The runs that the step has started, oldest first.',
  ),
});

/** Null: the run is no workflow. */
export function stepsStatus(workflow: WorkflowView | null): z.infer<typeof StepStatus>[] {
  const steps = workflow?.steps ?? [];
  return steps.map(({ id, kind, state, visits, runs }) => ({
    step: id,
    kind,
    state,
    visits,
    runs: runs.map(({ run, ...one }) => ({ run_id: run, ...one })),
  }));
}
