/** Applies the signals to a long-lived agent: from its supervisor, from monitors, from people and from other agents. */
import type { Signal } from '../protocol/signal.ts';
import type { Trigger } from '../protocol/agent-rules.ts';
import { applyTrigger } from './apply-trigger.ts';
import { askOnce, escalateIssue, raiseIssue, settleIssue, notifyAbove } from './escalate.ts';
import { KIND_RULES } from './kinds.ts';
import type { AgentProgramState, AgentMessage } from './agent-state.ts';
import { hasFailed, isAgentAlive, mainStep, update } from './agent-state.ts';
import {
  askPerson,
  closeAgent,
  leaveLife,
  dismissAgent,
  pendingNews,
  startWork,
} from './transitions.ts';
import { restartReasonPrompt } from './agent-prompts.ts';

/** Unread messages; the oldest are dropped first. */
const INBOX_MAX = 100;
const INBOX_CHARS_MAX = 400_000;

const SEEN_MAX = 20;

export function afterSignal(
  state: AgentProgramState,
  signal: Signal,
  atMs: number,
): AgentProgramState {
  if (signal.kind === 'kill')
    return update(dismissAgent(state, { kind: 'killed', reason: 'killed by the user' }), {
      ending: { killRequested: true },
    });
  if (state.ending.outcome !== null) return state;
  switch (signal.kind) {
    case 'stop':
      return dismissAgent(state, { kind: 'cancelled', reason: 'stopped by the user' });
    case 'dismiss':
      return dismissAgent(state, { kind: 'cancelled', reason: `dismissed: ${signal.because}` });
    case 'start-life':
      return startLife(state, signal.life);
    case 'end-life':
      return endLife(state, signal.because);
    case 'restarts-exhausted':
      return exhaustRestarts(state, signal.because, atMs);
    case 'message':
      return receiveMessage(
        state,
        { from: signal.from, text: signal.text },
        signal.urgent === true,
      );
    case 'trigger':
      return receiveTrigger(state, signal.trigger);
    case 'issue':
      return signal.issue.direct === true
        ? askOnce(state, signal.issue)
        : escalateIssue(state, signal.issue, atMs);
    case 'violation': // only recorded; the reaction arrives as another signal
    case 'retry-now':
    case 'next':
    case 'pause':
    case 'unpause':
    case 'merge-queue':
    case 'answer':
    case 'takeover': // refused for a long-lived agent
    case 'tell': // the owner sends a long-lived agent a `message` instead
      return state;
  }
}

/** A broadcast that was interrupted is sent again, so the same decision can arrive twice. It counts once. */
function receiveTrigger(state: AgentProgramState, trigger: Trigger): AgentProgramState {
  const broadcastId = trigger.kind === 'gang' ? trigger.of : undefined;
  if (broadcastId === undefined) return applyTrigger(state, trigger);
  const { seenBroadcasts } = state.issues;
  if (seenBroadcasts.includes(broadcastId)) return state;
  const seen = [...seenBroadcasts, broadcastId].slice(-SEEN_MAX);
  return applyTrigger(update(state, { issues: { seenBroadcasts: seen } }), trigger);
}

/** Only the next number starts a life, so a repeated signal has no effect. */
function startLife(state: AgentProgramState, life: number): AgentProgramState {
  if (isAgentAlive(state) || life !== state.lives + 1) return state;
  const started = update(settleIssue(state, 'restarts-exhausted'), {
    ...{ lives: life, exit: null, restartsExhausted: false, restartRequested: false },
    turn: { availabilityChecked: false },
  });
  const { phase } = state;
  if (phase.kind === 'turn' || hasFailed(state)) return startWork(started, pendingNews(phase));
  // The last life was halted: this one continues its phase. A round of checks starts again.
  if (phase.kind === 'verify') return update(started, { phase: { ...phase, checks: [] } });
  // Messages may have arrived while the agent was down.
  return state.mailbox.inbox.length === 0 ? started : wake(started);
}

function endLife(state: AgentProgramState, because: string): AgentProgramState {
  if (!isAgentAlive(state)) return state;
  const { leaving } = state;
  const withNotice = update(state, { turn: { restartNotice: restartReasonPrompt(because) } });
  const exit = { kind: 'shutdown', detail: because } as const;
  // A question that was about to be asked is asked in the next life.
  const question = leaving?.kind === 'phase' && leaving.phase.kind === 'ask' ? leaving.phase : null;
  return leaveLife(question === null ? withNotice : askPerson(withNotice, question), {
    ...{ kind: 'exit', exit },
  });
}

/** A drone is removed. For other kinds, parent and root are notified and a person decides. */
function exhaustRestarts(
  state: AgentProgramState,
  because: string,
  atMs: number,
): AgentProgramState {
  if (isAgentAlive(state) || state.restartsExhausted) return state;
  const { kind, name } = state.pinned.agent;
  if (KIND_RULES[kind].whenExhausted === 'reap')
    return closeAgent(state, { kind: 'failed', reason: `reaped: ${because}` }, 'failed');
  const what = `is down and has no restarts left: ${because}`;
  const choices = ['restart', 'dismiss'] as const;
  const notified = notifyAbove(
    state,
    { kind: 'restarts-exhausted', what: `${name} ${what}`, choices },
    atMs,
  );
  const asked = raiseIssue(notified, { kind: 'restarts-exhausted', what, choices });
  return update(asked, { restartsExhausted: true });
}

/**
 * A message wakes an agent that waits, and asks for a restart of one that is down. An agent that works reads
 * it in its next turn, which starts at once if the message is urgent: no CLI accepts input within a turn.
 */
function receiveMessage(
  before: AgentProgramState,
  message: AgentMessage,
  isUrgent: boolean,
): AgentProgramState {
  const inbox = dropOldest([...before.mailbox.inbox, message]);
  const state = update(before, { mailbox: { inbox } });
  const { phase } = state;
  if (!isAgentAlive(state))
    return state.restartsExhausted ? update(state, { restartRequested: true }) : state;
  if (state.leaving !== null) return state;
  if (phase.kind === 'turn' && isUrgent)
    return leaveLife(state, { kind: 'phase', phase: { kind: 'turn', news: phase.news } });
  return wake(state);
}

/** What an agent with an unread message does. */
function wake(state: AgentProgramState): AgentProgramState {
  const { phase } = state;
  switch (phase.kind) {
    case 'wakeup':
      return startWork(state, null);
    case 'done': {
      // A claim that is running may still bring a file, so it is cancelled first.
      const isFree = phase.step === 'claim-item' && mainStep(state) === undefined;
      return phase.step === 'idle' || isFree ? startWork(state, null) : state;
    }
    case 'ask':
      // A question of the agent itself can be answered by any message.
      if (phase.about !== 'input') return state;
      return leaveLife(state, { kind: 'phase', phase: { kind: 'turn', news: phase.news } });
    case 'turn':
    case 'verify':
    case 'cooldown':
      return state;
  }
}

function dropOldest(inbox: readonly AgentMessage[]): readonly AgentMessage[] {
  let newest = inbox.slice(-INBOX_MAX);
  const size = (): number => newest.reduce((sum, { text }) => sum + text.length, 0);
  while (newest.length > 1 && size() > INBOX_CHARS_MAX) newest = newest.slice(1);
  return newest;
}
