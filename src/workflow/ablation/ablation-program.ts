/**
 * A comparison of a workflow with and without one of its steps, as a pure reducer. Each trial is a child run of one arm.
 * Afterwards the gates of the whole workflow judge its work, so both arms have the same judge.
 */
import type { CommandKey } from '../../base/ids.ts';
import { commandKey } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import { plural } from '../../base/text.ts';
import { finishMove, repeatedKey, stopMoves } from '../../engine/parent-run.ts';
import type { Move, Program } from '../../engine/program.ts';
import { ABLATION_PROGRAM } from '../../protocol/ablation.ts';
import type { PlannedTrial } from '../../protocol/ablation.ts';
import type { AblationSubmission, WorkflowSubmission } from '../../protocol/run-submission.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import { compareArms } from '../../reports/steps/compare-arms.ts';
import { comparedWords } from '../../reports/steps/compared-words.ts';
import type { AblationState } from './ablation-state.ts';
import { ablationOf, baseOf, commitOf, firstState } from './ablation-state.ts';
import { foldAblation } from './fold-ablation.ts';

export const ablationProgram: Program<AblationState & { readonly [key: string]: Json }> = {
  name: ABLATION_PROGRAM,
  version: 1,
  start: (submission) => firstState(submission as AblationSubmission),
  fold: foldAblation,
  next: nextMoves,
};

function nextMoves(state: AblationState): readonly Move[] {
  const { open, ended, results } = state;
  const stopped = `stopped by the user after ${plural(results.length, 'trial')}`;
  const moves = stopMoves(state, stopped);
  if (moves !== undefined) return moves;
  if (open.length > 0) return [];
  if (ended !== null) return [finishMove(ended)];
  const { trials } = ablationOf(state);
  const trial = trials[results.length];
  if (trial === undefined) {
    const { template, step } = ablationOf(state);
    const reason = comparedWords({ template, step }, compareArms(results))[0] ?? '';
    return [finishMove({ kind: 'succeeded', reason })];
  }
  return [trialMove(state, trial)];
}

function trialMove(state: AblationState, trial: PlannedTrial): Move {
  const { project, settings, current, results } = state;
  const number = results.length + 1;
  const key = (name: string): CommandKey => repeatedKey(name, current.interruptions);
  switch (current.phase) {
    case 'run': {
      const { task, round, arm } = trial;
      const commit = commitOf(state, task);
      if (commit !== null && baseOf(state, task) === null) {
        const input = { project, commit, tree: task + 1 };
        return { kind: 'perform', key: key(`base-${number}`), command: 'open-base', input };
      }
      const name = `trial-${task + 1}-${round}-${arm}`;
      return { kind: 'run', key: commandKey(name), submission: submissionOf(state, trial) };
    }
    case 'collect': {
      const input = { project, run: current.run ?? '' };
      return { kind: 'perform', key: key(`collect-${number}`), command: 'collect-step', input };
    }
    case 'judge': {
      const gate = ablationOf(state).gates[current.gates.length];
      const { sandbox, unsafe = false } = settings;
      // There is at least one gate, and the trial ends with the last one.
      const input = {
        ...(gate ?? { name: 'none', command: ['false'], timeoutMs: 1000 }),
        ...{ project, attempt: 0, sandbox, unsafe },
        ...(current.work === null ? {} : { work: current.work }),
      };
      const name = `gate-${number}-${current.gates.length + 1}`;
      return { kind: 'perform', key: key(name), command: 'gate', input };
    }
  }
}

/** Every trial starts with its base, or with the files of the first one, even if the user edits the project meanwhile. */
function submissionOf(state: AblationState, { task, arm }: PlannedTrial): WorkflowSubmission {
  const { project, path, settings } = state;
  const { ablation, ...own } = settings;
  const base = baseOf(state, task);
  const workflow = ablation.arms[arm];
  const startsFrom = base === null ? {} : { startsFrom: base };
  return {
    program: WORKFLOW_PROGRAM,
    task: ablation.tasks[task] ?? '',
    project,
    settings: { ...own, gates: [], workflow: { ...workflow, ...startsFrom } },
    ...(path === null ? {} : { path }),
  };
}
