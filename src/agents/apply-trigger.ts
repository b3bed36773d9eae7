/** Applies a trigger: it ends the current life or asks a person. If no life is running, it changes the next one. */
import type { TriggerDecision } from '../monitors/triggers.ts';
import { decideTrigger } from '../monitors/triggers.ts';
import type { Trigger } from '../protocol/agent-rules.ts';
import { askOnce, raiseIssue } from './escalate.ts';
import type { AgentProgramState, AgentQuestion } from './agent-state.ts';
import { isAgentAlive, update } from './agent-state.ts';
import { failedExit, leaveLife, pendingNews, prepareNextLife } from './transitions.ts';

/** In characters, of all reasons that one life receives for its restart. */
const NOTICE_MAX = 25_000;

/**
 * An agent that waits for a person, or whose step is being cancelled, ignores a trigger, unless a person has
 * judged its work. The supervisor decides whether the agent may be restarted.
 */
export function applyTrigger(state: AgentProgramState, trigger: Trigger): AgentProgramState {
  const { phase, leaving } = state;
  const { name, triggers: policy } = state.pinned.agent;
  const model = currentModel(state);
  const decision = decideTrigger(trigger, policy, { model, canRestart: true });
  const isRejection = trigger.kind === 'wrong-changeset';
  const exit = leaving?.kind === 'exit' ? leaving.exit : null;
  if (!isAgentAlive(state) || exit?.kind === 'shutdown' || (exit !== null && isRejection))
    return applyBetweenLives(state, trigger, decision);
  if ((phase.kind === 'ask' || leaving !== null) && !isRejection) return state;
  if (decision.kind === 'restart') {
    const { workspace, notice } = decision;
    const failure = { workspace, notice, newConversation: true, ...changedModel(decision, model) };
    // The next life is settled now. This one is over once its running step is cancelled.
    const next = prepareNextLife(state, notice, failure);
    return leaveLife(next, { kind: 'exit', exit: failedExit(notice) });
  }
  const { what, choices } = decision;
  // No step is running that could be cancelled, and the agent does not wait for the answer.
  if (phase.kind === 'done' || phase.kind === 'wakeup')
    return raiseIssue(state, { kind: trigger.kind, what, choices });
  const question: AgentQuestion = {
    question: `${name}: ${what}`,
    choices,
    about: questionTopic(trigger),
    news: pendingNews(phase),
    onRestart: policy.workspace[trigger.kind],
  };
  return leaveLife(state, { kind: 'phase', phase: { kind: 'ask', ...question } });
}

function questionTopic({ kind }: Trigger): AgentQuestion['about'] {
  if (kind === 'over-budget') return 'budget';
  return kind === 'gang' ? 'gang' : 'trouble';
}

/** No life is running that could be ended. The next life starts as it would have after the trigger. */
function applyBetweenLives(
  state: AgentProgramState,
  { kind }: Trigger,
  decision: TriggerDecision,
): AgentProgramState {
  const { lives, phase, restartsExhausted } = state;
  const { tree, workedIn, restartNotice } = state.turn;
  if (lives === 0) return state; // there is no work yet
  if (decision.kind === 'ask')
    return askOnce(state, { kind, what: decision.what, choices: decision.choices });
  // A tree that was discarded and not used since is not discarded again.
  const isUntouched = workedIn !== tree;
  return update(state, {
    phase: { kind: 'turn', news: pendingNews(phase) },
    turn: {
      restartNotice: appendNotice(restartNotice, decision.notice),
      interrupted: false,
      session: null,
      last: null,
      ...(decision.workspace === 'keep' || isUntouched ? {} : { tree: tree + 1 }),
      ...(isUntouched ? {} : changedModel(decision, currentModel(state))),
    },
    ...(restartsExhausted ? { restartRequested: true } : {}),
  });
}

function currentModel({ turn, pinned }: AgentProgramState): string {
  return turn.model ?? pinned.attempt.agent.model ?? '';
}

function changedModel(
  { model }: Extract<TriggerDecision, { kind: 'restart' }>,
  current: string,
): { readonly model?: string } {
  return model === '' || model === current ? {} : { model };
}

/** The latest notice is always kept; older ones only while all of them fit. */
function appendNotice(before: string | null, notice: string): string {
  if (before === null || before === notice) return notice;
  if (before.includes(notice)) return before;
  const all = `${before}\n\n${notice}`;
  return all.length <= NOTICE_MAX ? all : notice;
}
