/** How each event changes the state of a comparison. */
import { oneLine, truncate } from '../../base/text.ts';
import type { OpenPart, ParentFold } from '../../engine/parent-run.ts';
import { foldParent } from '../../engine/parent-run.ts';
import type { TrialResult } from '../../protocol/ablation.ts';
import type { ChildResult } from '../../protocol/child-run.ts';
import type { CommandEnd, CommandEnded } from '../../protocol/commands.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import type { OpenBaseResult } from '../../protocol/contracts/merge-contract.ts';
import type { CollectStepResult, WorkPoint } from '../../protocol/contracts/workflow-contract.ts';
import type { AblationState, CurrentTrial } from './ablation-state.ts';
import { NEW_TRIAL, ablationOf, commitOf } from './ablation-state.ts';

const WHY_MAX = 300;

const FOLD: ParentFold<AblationState, OpenPart> = {
  opens: (key, command) => ({ key, command }),
  begun: (state, { command, input }, at) =>
    command === 'run' ? change(state, { run: input.run, begunAt: at }) : state,
  runsAs: (state, _, run) => change(state, { run }),
  ended: (state, _, payload, at) => ended(state, payload, at),
};

export function foldAblation(state: AblationState, event: RunEvent): AblationState {
  return foldParent(state, event, FOLD);
}

function change(state: AblationState, more: Partial<CurrentTrial>): AblationState {
  return { ...state, current: { ...state.current, ...more } };
}

function ended(state: AblationState, payload: CommandEnded, at: number): AblationState {
  const { command, end } = payload;
  if (end.kind === 'interrupted') return afterInterruption(state);
  if (end.kind === 'defect')
    return finishTrial(state, 'void', `internal error in Supervisor: ${end.message}`);
  if (command === 'open-base') return afterBase(state, end.result);
  if (command === 'run') return afterRun(state, end.result, at);
  if (command === 'collect-step') return afterCollect(state, end.result);
  return command === 'gate' ? afterGate(state, end) : state;
}

/** A base that cannot be opened says nothing about the arms. */
function afterBase(state: AblationState, result: OpenBaseResult): AblationState {
  if (result.kind === 'refused') return finishTrial(state, 'void', result.why);
  const task = ablationOf(state).trials[state.results.length]?.task ?? 0;
  const opened = { ...state.opened, [task]: result.work };
  return change({ ...state, opened }, { interruptions: 0 });
}

function afterInterruption(state: AblationState): AblationState {
  const interruptions = state.current.interruptions + 1;
  if (interruptions <= state.settings.interruptionsMax) return change(state, { interruptions });
  return finishTrial(state, 'void', 'its judgement was interrupted too often');
}

function afterRun(state: AblationState, result: ChildResult, at: number): AblationState {
  const { run, outcome, spent } = result;
  const used = {
    durationMs: at - state.current.begunAt,
    tokens: spent?.tokens ?? null,
    costUsd: spent === undefined || spent.unpricedCalls > 0 ? null : spent.usd,
  };
  const { tokens, usd, calls } = state.spent;
  const total = {
    tokens: tokens + (spent?.tokens ?? 0),
    usd: usd + (spent?.usd ?? 0),
    calls: calls + (spent?.calls ?? 0),
  };
  const counted = change({ ...state, spent: total }, { ...used, run });
  const isVoid = run === null || outcome.kind === 'cancelled' || outcome.kind === 'killed';
  if (isVoid) return finishTrial(counted, 'void', outcome.reason);
  return change(counted, { phase: 'collect', interruptions: 0 });
}

function afterCollect(state: AblationState, { work, base }: CollectStepResult): AblationState {
  const based = keepBase(state, base);
  if (work === null || work.files === 0) return finishTrial(based, 'unsolved', 'changed no file');
  const { run, tree, commit, content } = work;
  const judged = { run, tree, commit, content };
  return change(based, { phase: 'judge', work: judged, interruptions: 0 });
}

/** A task with a base of its own does not name that of the others. */
function keepBase(state: AblationState, base: WorkPoint | null): AblationState {
  const task = ablationOf(state).trials[state.results.length]?.task ?? 0;
  return commitOf(state, task) === null ? { ...state, base: state.base ?? base } : state;
}

function afterGate(
  state: AblationState,
  end: Extract<CommandEnd<'gate'>, { kind: 'done' }>,
): AblationState {
  const gates: readonly GateOutcome[] = [...state.current.gates, end.result];
  if (end.result.kind !== 'passed')
    return finishTrial(state, 'unsolved', `gate ${end.result.name} is red`);
  if (gates.length === ablationOf(state).gates.length) return finishTrial(state, 'solved', '');
  return change(state, { gates, interruptions: 0 });
}

/** The trial has its verdict. The next one begins, unless the money or the tokens for all of them are spent. */
function finishTrial(
  state: AblationState,
  verdict: TrialResult['verdict'],
  why: string,
): AblationState {
  const planned = ablationOf(state).trials[state.results.length];
  if (planned === undefined) return state;
  const { run, durationMs, tokens, costUsd } = state.current;
  const result: TrialResult = {
    ...planned,
    ...{ run, verdict, durationMs, tokens, costUsd },
    why: truncate(oneLine(why), WHY_MAX),
  };
  return {
    ...state,
    results: [...state.results, result],
    current: NEW_TRIAL,
    ended: overBudget(state),
  };
}

function overBudget({ settings, spent }: AblationState): AblationState['ended'] {
  const { tokens, usd, calls } = settings.budget.run;
  const over =
    usd !== null && spent.usd >= usd
      ? `$${usd}`
      : tokens !== null && spent.tokens >= tokens
        ? `${tokens} tokens`
        : calls !== null && spent.calls >= calls
          ? `${calls} calls`
          : undefined;
  if (over === undefined) return null;
  return { kind: 'exhausted', reason: `the budget for all trials is spent: ${over}` };
}
