/** The state of a run that plans a feature, folded from its events. */
import type { Json } from '../../base/json.ts';
import type { PlanAnswer } from '../../protocol/answer.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { PlanningRunSettings } from '../../protocol/pinned-settings.ts';
import type { PinnedPlanning } from '../../protocol/planning.ts';
import type { AttemptsSubmission, PlanningSubmission } from '../../protocol/run-submission.ts';

export type PlanningState = {
  readonly project: string;
  readonly path: string | null;
  readonly task: string;
  readonly settings: PlanningRunSettings;
  /** What is asked for now: the phases, or the details of one of them. */
  readonly stage: { readonly kind: 'plan' } | { readonly kind: 'detail'; readonly phase: number };
  readonly asked: PlanningQuestion;
  /** The plan so far, which was valid: see `planOf`. Null: there is none yet. */
  readonly plan: Json;
  /** The feature file of that plan. Empty: there is none yet. */
  readonly text: string;
  readonly open: readonly { readonly key: string; readonly command: string }[];
  readonly stop: 'stop' | 'kill' | null;
  readonly ended: RunOutcome | null;
};

/** One question to a role. */
export type PlanningQuestion = {
  /** Counts questions, so that no key is used twice. */
  readonly number: number;
  readonly step: 'prepare' | 'run' | 'collect';
  /** Its run, as it was prepared: see `submissionOf`. */
  readonly submission: Json;
  readonly run: string | null;
  /** How often its next command was interrupted. */
  readonly interruptions: number;
  /** Wrong answers in this stage, and what was wrong with the last one. */
  readonly wrong: number;
  readonly faults: readonly string[];
};

export function newQuestion(number: number): PlanningQuestion {
  return {
    ...{ number, step: 'prepare', submission: null, run: null },
    ...{ interruptions: 0, wrong: 0, faults: [] },
  };
}

export function firstState({ project, path, task, settings }: PlanningSubmission): PlanningState {
  return {
    ...{ project, path: path ?? null, task, settings },
    ...{ stage: { kind: 'plan' }, asked: newQuestion(1), plan: null, text: '' },
    ...{ open: [], stop: null, ended: null },
  };
}

export function planningOf({ settings }: PlanningState): PinnedPlanning {
  return settings.planning;
}

export function planOf({ plan }: PlanningState): PlanAnswer | null {
  return plan as PlanAnswer | null;
}

export function submissionOf({ submission }: PlanningQuestion): AttemptsSubmission | null {
  return submission as AttemptsSubmission | null;
}
