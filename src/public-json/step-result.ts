/** The steps of a workflow in the result of its run, with what each has cost. */
import { z } from 'zod';
import type { WorkflowView } from '../protocol/views/workflow-view.ts';
import { sumKnown } from '../reports/cost-words.ts';
import { ownCost } from '../reports/runs/own-history.ts';
import type { RunHistory } from '../reports/runs/run-history.ts';
import { costUsd, field } from './document.ts';
import { StepStatus, stepsStatus } from './step-status.ts';

export const StepResult = StepStatus.extend({
  cost_usd: costUsd,
  known_cost_usd: field(z.number().nullable(), 'The part of the cost whose price is known.'),
});

/** `runs`: those of its steps that this workflow has paid for, and not one that it continues. */
export function stepResults(
  workflow: WorkflowView | null,
  runs: readonly RunHistory[],
): z.infer<typeof StepResult>[] {
  return stepsStatus(workflow).map((step) => {
    const ids = step.runs.map(({ run_id: id }) => id);
    const costs = runs.filter(({ id }) => ids.includes(id)).map(ownCost);
    const isPartial = costs.some((cost) => cost.isPartial);
    const usd = sumKnown(costs.map((cost) => cost.usd));
    return {
      ...step,
      cost_usd: isPartial ? null : usd,
      known_cost_usd: isPartial && usd === 0 ? null : usd,
    };
  });
}
