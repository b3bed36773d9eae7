/**
 * The checkpoints of a workflow, by the program's own fold: each visit of a step, the work and the values that it began
 * with, and how it ended. A fork at the fact of a checkpoint does that step again, and keeps the steps before it.
 */
import type { RunEvent } from '../protocol/event.ts';
import type { WorkflowSubmission } from '../protocol/run-submission.ts';
import type { CheckpointView } from '../protocol/views/checkpoint-view.ts';
import type { WorkflowView } from '../protocol/views/workflow-view.ts';
import { foldWorkflowView, newWorkflowView } from '../protocol/views/workflow-view.ts';
import { foldWorkflow } from './fold-workflow.ts';
import { workflowProgram } from './workflow-program.ts';
import type { WorkflowState } from './workflow-state.ts';
import { historyOf, stepOf } from './workflow-state.ts';

export type CheckpointFold = {
  readonly state: WorkflowState;
  readonly view: WorkflowView;
  /** The number of the last checkpoint among the visits of all steps. */
  readonly number: number;
  /** Nothing of the last checkpoint has begun yet. */
  readonly isWaiting: boolean;
  readonly checkpoints: readonly CheckpointView[];
};

/** `run`: the run whose stream begins with the submission. `at`: when it was submitted. */
export function firstCheckpoint(
  submission: WorkflowSubmission,
  run: string,
  at: number,
): CheckpointFold {
  const state = workflowProgram.start(submission) as WorkflowState;
  const view = newWorkflowView(submission.settings.workflow);
  const fold = { state, view, number: 0, isWaiting: false, checkpoints: [] };
  return withNewVisit(fold, { run, seq: 1, at });
}

type Place = Pick<CheckpointView, 'run' | 'seq' | 'at'>;

export function foldCheckpoints(
  before: CheckpointFold,
  run: string,
  event: RunEvent,
): CheckpointFold {
  const isWaiting = before.isWaiting && event.type !== 'command.begun';
  const fold = {
    ...before,
    isWaiting,
    state: foldWorkflow(before.state, event),
    view: foldWorkflowView(before.view, event),
  };
  return withNewVisit(withOutcome(fold), { run, seq: event.seq, at: event.at });
}

/** The last checkpoint as it is now. */
function withOutcome(fold: CheckpointFold): CheckpointFold {
  const { state, view, isWaiting, checkpoints } = fold;
  const last = checkpoints.at(-1);
  const step = view.steps.find(({ id }) => id === last?.step);
  if (last === undefined || step === undefined) return fold;
  const outcome = isWaiting ? 'pending' : step.state;
  const now = { ...last, outcome, after: state.work?.commit ?? null, files: filesOf(state) };
  return { ...fold, checkpoints: [...checkpoints.slice(0, -1), now] };
}

/** A fact can begin several steps: those that have nothing to do are over at once, and are no checkpoint. */
function withNewVisit(fold: CheckpointFold, place: Place): CheckpointFold {
  const { state, checkpoints } = fold;
  const { stage, counts } = state;
  const id = stageStep(stage);
  if (counts.step <= fold.number || id === undefined) return fold;
  const commit = state.work?.commit ?? null;
  const feedback = stage.kind === 'step' ? (stage.visit.feedback?.text ?? '') : '';
  const added: CheckpointView = {
    ...{ step: id, kind: stepOf(state, id)?.kind ?? '', visit: historyOf(state, id).visits },
    ...{ outcome: 'pending', before: commit, after: commit, files: filesOf(state), feedback },
    outputs: Object.keys(state.outputs),
    ...place,
  };
  return {
    ...fold,
    number: counts.step,
    isWaiting: true,
    checkpoints: [...checkpoints, added],
  };
}

function stageStep(stage: WorkflowState['stage']): string | undefined {
  if (stage.kind === 'step' || stage.kind === 'breaker') return stage.visit.step;
  return stage.kind === 'ask' ? stage.question.step : undefined;
}

function filesOf({ size }: WorkflowState): number {
  return size?.files ?? 0;
}
