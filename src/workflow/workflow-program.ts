/**
 * A workflow as a pure reducer: it takes one task through the steps of a definition. `fold-workflow.ts` folds the
 * events, which decides the next step, and `step-moves.ts` returns the moves of the current step.
 */
import type { Json } from '../base/json.ts';
import type { Program } from '../engine/program.ts';
import type { WorkflowSubmission } from '../protocol/run-submission.ts';
import { WORKFLOW_PROGRAM } from '../protocol/run-submission.ts';
import { enterStep, plan } from './enter-step.ts';
import { foldWorkflow } from './fold-workflow.ts';
import { nextMoves } from './step-moves.ts';
import type { WorkflowState } from './workflow-state.ts';
import { emptyState } from './workflow-state.ts';

export const workflowProgram: Program<WorkflowState & { readonly [key: string]: Json }> = {
  name: WORKFLOW_PROGRAM,
  version: 2,

  start(submission) {
    const state = emptyState(submission as WorkflowSubmission);
    return enterStep(state, plan(state.settings.workflow.definition.initialStep));
  },

  /** A fork may have another branch for its commit. It keeps the definition that the run began with. */
  fork(state, submission) {
    const { settings } = state;
    const { taskId } = (submission as WorkflowSubmission).settings.workflow;
    return { ...state, settings: { ...settings, workflow: { ...settings.workflow, taskId } } };
  },

  fold: foldWorkflow,

  next: nextMoves,
};
