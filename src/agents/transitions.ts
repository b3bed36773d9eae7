/** The steps that end a phase: to work, to a question, to the end of the life, to the end of the run. */
import { truncate } from '../base/text.ts';
import type { TriggerPolicy } from '../protocol/agent-rules.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { REASON_MAX } from '../protocol/outcome.ts';
import type { Exit } from '../supervision/index.ts';
import type { AgentProgramState, AgentQuestion, EndCause, Leaving, Phase } from './agent-state.ts';
import { mainStep, update } from './agent-state.ts';
import { restartReasonPrompt } from './agent-prompts.ts';

export function startWork(state: AgentProgramState, news: string | null): AgentProgramState {
  return update(state, { phase: { kind: 'turn', news } });
}

export function askPerson(state: AgentProgramState, question: AgentQuestion): AgentProgramState {
  return update(state, { phase: { kind: 'ask', ...question } });
}

/** Text for the agent that it has not dealt with. */
export function pendingNews(phase: Phase): string | null {
  return phase.kind === 'turn' || phase.kind === 'cooldown' || phase.kind === 'ask'
    ? phase.news
    : null;
}

export type AgentFailure = {
  readonly workspace: TriggerPolicy['workspace']['crashed'];
  /** Whether the next life starts a new conversation. */
  readonly newConversation: boolean;
  /** The notice for the next life; without it, the reason. */
  readonly notice?: string;
  readonly model?: string;
};

/** Ends this life as failed. The next one starts with the same work, if the supervisor starts one. */
export function failLife(
  state: AgentProgramState,
  reason: string,
  failure: AgentFailure,
): AgentProgramState {
  const exit = failedExit(reason);
  return update(prepareNextLife(state, reason, failure), { exit, leaving: null });
}

/** Settles what the next life receives after this one fails. */
export function prepareNextLife(
  state: AgentProgramState,
  reason: string,
  { workspace, newConversation, notice, model }: AgentFailure,
): AgentProgramState {
  return update(state, {
    phase: { kind: 'turn', news: pendingNews(state.phase) },
    turn: {
      restartNotice: notice ?? restartReasonPrompt(reason),
      interrupted: false,
      ...(newConversation ? { session: null, last: null } : {}),
      ...(workspace === 'discard' ? { tree: state.turn.tree + 1, session: null } : {}),
      ...(model === undefined ? {} : { model }),
    },
    streaks: { silent: 0, interruptions: 0 },
  });
}

export function failedExit(reason: string): Exit {
  return { kind: 'failed', reason: truncate(reason, REASON_MAX) };
}

/** Cancels the running step first. A setup is not cancelled: it has its own bound, and the next life can use it. */
export function leaveLife(state: AgentProgramState, leaving: Leaving): AgentProgramState {
  return afterLeaving(update(state, { leaving }));
}

/** Does what was to follow, once no step is running any more. */
export function afterLeaving(state: AgentProgramState): AgentProgramState {
  const { leaving } = state;
  if (leaving === null || mainStep(state) !== undefined) return state;
  switch (leaving.kind) {
    case 'exit':
      return update(state, { exit: leaving.exit, leaving: null });
    case 'phase':
      return update(state, { phase: leaving.phase, leaving: null });
  }
}

/** Decides the end of the run. The first decision stands. */
export function closeAgent(
  state: AgentProgramState,
  { kind, reason }: RunOutcome,
  cause: EndCause,
): AgentProgramState {
  if (state.ending.outcome !== null) return state;
  return update(state, {
    ending: { outcome: { kind, reason: truncate(reason, REASON_MAX) }, cause },
    leaving: null,
    restartRequested: false,
  });
}

/** Ends the run on request. Work that was proven before the request stays proven. */
export function dismissAgent(state: AgentProgramState, outcome: RunOutcome): AgentProgramState {
  const { phase, work, turn } = state;
  const { verdict } = work;
  const isProven = phase.kind === 'done' && verdict !== null;
  return closeAgent(
    state,
    isProven ? { kind: verdict, reason: turn.summary ?? 'done' } : outcome,
    'dismissed',
  );
}
