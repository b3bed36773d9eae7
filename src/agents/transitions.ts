/** The few ways in which a life takes a turn: to another state, to its end, to a question, to the end of the run. */
import type { TriggerPolicy } from '../protocol/agent-rules.ts';
import type { AgentState } from '../protocol/long-lived-agent.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { REASON_MAX } from '../protocol/outcome.ts';
import type { Exit } from '../supervision/index.ts';
import type { AgentStateChange, AgentProgramState, Phase, AgentQuestion } from './agent-state.ts';
import { mainStep } from './agent-state.ts';
import { canEnter, enter } from './agent-states.ts';
import { restartReasonPrompt } from './agent-prompts.ts';

/** By a legal way: whoever verifies, rests or is done works for a moment before a person is asked. */
export function enterState(
  { state, life }: AgentProgramState,
  to: AgentState,
): Pick<AgentProgramState, 'state'> {
  if (state === to) return { state };
  const from = canEnter(state, to) ? state : enter(state, 'working', life.flags);
  return { state: enter(from, to, life.flags) };
}

export function startWork(state: AgentProgramState, news: string | null): AgentStateChange {
  return { ...enterState(state, 'working'), phase: { kind: 'turn', news } };
}

export function askPerson(state: AgentProgramState, question: AgentQuestion): AgentStateChange {
  return { ...enterState(state, 'waiting-input'), phase: { kind: 'ask', ...question } };
}

/** What it is told and has not dealt with. */
export function pendingNews(phase: Phase): string | null {
  return phase.kind === 'turn' || phase.kind === 'rest' || phase.kind === 'ask' ? phase.news : null;
}

export type AgentFailure = {
  readonly workspace: TriggerPolicy['workspace']['crashed'];
  /** Whether the next life begins a conversation of its own. */
  readonly forgets: boolean;
  /** What the next life is told; else the reason. */
  readonly told?: string;
  readonly model?: string;
};

/** This life has failed: the next one begins where it was, if its supervisor lets it. */
export function failLife(
  state: AgentProgramState,
  reason: string,
  { workspace, forgets, told, model }: AgentFailure,
): AgentStateChange {
  const isBody = canEnter(state.state, 'failed-reaped');
  return {
    ...(isBody ? enterState(state, 'failed-reaped') : {}),
    exit: { kind: 'failed', reason: clipped(reason) },
    phase: { kind: 'turn', news: pendingNews(state.phase) },
    leaving: null,
    restarted: told ?? restartReasonPrompt(reason),
    interrupted: false,
    ...(forgets ? { session: null, turn: null } : {}),
    ...(workspace === 'discard' ? { tree: state.tree + 1, session: null } : {}),
    ...(model === undefined ? {} : { model }),
    silent: 0,
    lost: 0,
  };
}

/** What goes on is called off first. A setup has a bound of its own, and is as good for the next life. */
export function leaveLife(
  state: AgentProgramState,
  leaving: NonNullable<AgentProgramState['leaving']>,
): AgentStateChange {
  if (mainStep(state) !== undefined) return { leaving };
  return afterLeaving({ ...state, leaving });
}

/** Nothing of it goes on any more. */
export function afterLeaving(state: AgentProgramState): AgentStateChange {
  const { leaving } = state;
  if (leaving === null || mainStep(state) !== undefined) return {};
  if ('exit' in leaving) {
    const { exit } = leaving;
    const isBody = exit.kind === 'failed' && canEnter(state.state, 'failed-reaped');
    return { ...(isBody ? enterState(state, 'failed-reaped') : {}), exit, leaving: null };
  }
  const { to } = leaving;
  if (to.kind === 'ask') return { ...askPerson(state, to), leaving: null };
  return { ...enterState(state, 'working'), phase: to, leaving: null };
}

/** The run is to end so. What came first stands: an end is not changed any more. */
export function closeAgent(
  state: AgentProgramState,
  outcome: RunOutcome,
  to: AgentState,
): AgentStateChange {
  if (state.closing !== null) return {};
  return {
    ...(canEnter(state.state, to) ? enterState(state, to) : {}),
    closing: { kind: outcome.kind, reason: clipped(outcome.reason) },
    exit: exitOf(outcome),
    leaving: null,
    wantsLife: false,
  };
}

/** Somebody lets it go. Work that was proven before that is still proven. */
export function dismissAgent(state: AgentProgramState, outcome: RunOutcome): AgentStateChange {
  const { phase, verdict, summary } = state;
  const isProven = phase.kind === 'done' && verdict !== null;
  return closeAgent(
    state,
    isProven ? { kind: verdict, reason: summary ?? 'done' } : outcome,
    'dismissed-reaped',
  );
}

function exitOf({ kind, reason }: RunOutcome): Exit {
  if (kind === 'succeeded' || kind === 'unverified') return { kind: 'normal' };
  if (kind === 'cancelled' || kind === 'killed')
    return { kind: 'shutdown', detail: clipped(reason) };
  return { kind: 'failed', reason: clipped(reason) };
}

function clipped(reason: string): string {
  return reason.length <= REASON_MAX ? reason : `${reason.slice(0, REASON_MAX - 1)}…`;
}
