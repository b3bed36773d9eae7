/**
 * Plans a feature, as a pure reducer. The planner divides it into phases, and then the tech lead details one phase after
 * the other. Each answer becomes a feature file, and the reader of such files judges it. What it refuses goes back to the
 * role with the reasons, a few times. Nothing is built: a person reads the file first.
 */
import type { Json } from '../../base/json.ts';
import { plural } from '../../base/text.ts';
import { finishMove, repeatedKey, stopMoves } from '../../engine/parent-run.ts';
import type { Move, Program } from '../../engine/program.ts';
import { PLANNING_PROGRAM, PLANNING_STEPS } from '../../protocol/planning.ts';
import type { PlanningSubmission } from '../../protocol/run-submission.ts';
import type { PrepareStepInput } from '../../protocol/contracts/workflow-contract.ts';
import { foldPlanning } from './fold-planning.ts';
import type { PlanningState } from './planning-state.ts';
import { firstState, newQuestion, planOf, planningOf, submissionOf } from './planning-state.ts';

export const planningProgram: Program<PlanningState & { readonly [key: string]: Json }> = {
  name: PLANNING_PROGRAM,
  version: 1,
  start: (submission) => firstState(submission as PlanningSubmission),
  /** The question that failed is asked again. What was planned stays. */
  fork: (state) => ({ ...state, ended: null, asked: newQuestion(state.asked.number + 1) }),
  fold: foldPlanning,
  next: nextMoves,
};

function nextMoves(state: PlanningState): readonly Move[] {
  const phases = planOf(state)?.phases.length ?? 0;
  const moves = stopMoves(state, `stopped by the user after ${plural(phases, 'planned phase')}`);
  if (moves !== undefined) return moves;
  if (state.open.length > 0) return [];
  return [state.ended === null ? questionMove(state) : finishMove(state.ended)];
}

function questionMove(state: PlanningState): Move {
  const { project, asked } = state;
  const { number, step, run, interruptions } = asked;
  const submission = submissionOf(asked);
  const key = repeatedKey(`${step}-${number}`, interruptions);
  if (step === 'run' && submission !== null) return { kind: 'run', key, submission };
  if (step === 'collect')
    return { kind: 'perform', key, command: 'collect-step', input: { project, run: run ?? '' } };
  return { kind: 'perform', key, command: 'prepare-step', input: prepareInput(state) };
}

function prepareInput(state: PlanningState): PrepareStepInput {
  const { project, stage, plan, asked } = state;
  const { planner, lead } = planningOf(state);
  const isPlan = stage.kind === 'plan' || lead === null;
  return {
    project,
    task: taskOf(state),
    step: isPlan ? PLANNING_STEPS.planner : PLANNING_STEPS.lead,
    role: isPlan ? planner : lead,
    work: null,
    outputs: plan === null ? {} : { 'the.plan': plan },
    feedback:
      asked.faults.length === 0
        ? null
        : {
            ...{ category: 'validation', visit: asked.wrong + 1, from: 'check' },
            text: feedbackText(asked.faults),
          },
    ...{ level: 'full', gatesOf: [] },
  };
}

const RULES = `The plan becomes a feature file, so these rules hold:
- files lists every path or pattern that a component may change. Components that can be built at the same time share none.
- depends_on names only what must be finished first. A phase waits for all phases before it anyway.
- Ids of phases and components have small letters, digits, _ and - only.`;

function taskOf(state: PlanningState): string {
  const { task, stage } = state;
  const phase = stage.kind === 'detail' ? planOf(state)?.phases[stage.phase] : undefined;
  if (phase === undefined) return `${task.trim()}\n\n${RULES}`;
  return `${task.trim()}

Your part is the phase ${phase.id}: ${phase.title}. Answer with the whole plan, in which you change only this phase: its components, their files, what they depend on, and its interfaces. Keep the ids of components that other phases need.

${RULES}`;
}

function feedbackText(faults: readonly string[]): string {
  return ['Your last plan cannot be built:', ...faults.map((one) => `- ${one}`)].join('\n');
}
