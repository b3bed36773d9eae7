/** The state of a comparison, folded from its events. One trial runs after the other, so that none slows another down. */
import type { PinnedAblation, TrialResult } from '../../protocol/ablation.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { AblationRunSettings } from '../../protocol/pinned-settings.ts';
import type { AblationSubmission } from '../../protocol/run-submission.ts';
import type { WorkPoint } from '../../protocol/contracts/workflow-contract.ts';

export type AblationState = {
  readonly project: string;
  readonly path: string | null;
  readonly settings: AblationRunSettings;
  readonly results: readonly TrialResult[];
  readonly current: CurrentTrial;
  /** The files that every trial starts with. Null: no trial has started yet. */
  readonly base: WorkPoint | null;
  /** By task: the files of its own base. Absent: no task has one. */
  readonly opened?: Readonly<Record<string, WorkPoint>>;
  readonly open: readonly { readonly key: string; readonly command: string }[];
  readonly stop: 'stop' | 'kill' | null;
  /** What all trials have spent so far. */
  readonly spent: { readonly tokens: number; readonly usd: number; readonly calls: number };
  /** Why it ends before all trials have run. Null: it does not. */
  readonly ended: RunOutcome | null;
};

export type CurrentTrial = {
  readonly phase: 'run' | 'collect' | 'judge';
  readonly begunAt: number;
  readonly run: string | null;
  readonly durationMs: number;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  /** The work that the gates judge. */
  readonly work: WorkPoint | null;
  readonly gates: readonly GateOutcome[];
  /** How often its next command was interrupted because the owner died. */
  readonly interruptions: number;
};

export const NEW_TRIAL: CurrentTrial = {
  phase: 'run',
  begunAt: 0,
  run: null,
  durationMs: 0,
  tokens: null,
  costUsd: null,
  work: null,
  gates: [],
  interruptions: 0,
};

export function firstState({ project, path, settings }: AblationSubmission): AblationState {
  return {
    project,
    path: path ?? null,
    settings,
    results: [],
    current: NEW_TRIAL,
    base: null,
    open: [],
    stop: null,
    spent: { tokens: 0, usd: 0, calls: 0 },
    ended: null,
  };
}

export function ablationOf({ settings }: AblationState): PinnedAblation {
  return settings.ablation;
}

/** What the trials of the task start with. Null: its base is not opened yet, or no trial has started. */
export function baseOf(state: AblationState, task: number): WorkPoint | null {
  return commitOf(state, task) === null ? state.base : (state.opened?.[task] ?? null);
}

/** The user's commit that the trials of the task start with. Null: it names none. */
export function commitOf(state: AblationState, task: number): string | null {
  return ablationOf(state).bases?.[task] ?? null;
}
