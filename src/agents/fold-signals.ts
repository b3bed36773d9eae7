/** What is said to a long-lived agent from outside: by its supervisor, by a monitor, by people and by others of its kind. */
import type { Signal } from '../protocol/event.ts';
import type { Trigger } from '../protocol/agent-rules.ts';
import { applyTrigger } from './apply-trigger.ts';
import { askOnce, escalateIssue, raiseIssue, settleIssue, notifyAbove } from './escalate.ts';
import { KIND_RULES } from './kinds.ts';
import type { AgentStateChange, AgentProgramState, AgentMessage } from './agent-state.ts';
import { isAgentAlive, mainStep } from './agent-state.ts';
import { canEnter } from './agent-states.ts';
import {
  askPerson,
  enterState,
  closeAgent,
  leaveLife,
  dismissAgent,
  pendingNews,
  startWork,
} from './transitions.ts';
import { restartReasonPrompt } from './agent-prompts.ts';

/** What nobody has read yet; the oldest go first. */
const INBOX_MAX = 100;
const INBOX_CHARS_MAX = 400_000;

const HEARD_MAX = 20;

export function afterSignal(
  state: AgentProgramState,
  signal: Signal,
  atMs: number,
): AgentStateChange {
  if (signal.kind === 'kill')
    return {
      kills: true,
      ...dismissAgent(state, { kind: 'killed', reason: 'killed by the user' }),
    };
  if (state.closing !== null) return {};
  switch (signal.kind) {
    case 'stop':
      return dismissAgent(state, { kind: 'cancelled', reason: 'stopped by the user' });
    case 'dismiss':
      return dismissAgent(state, { kind: 'cancelled', reason: `dismissed: ${signal.because}` });
    case 'live':
      return begins(state, signal.life);
    case 'halt':
      return halted(state, signal.because);
    case 'spent':
      return spent(state, signal.because, atMs);
    case 'message':
      return written(state, { from: signal.from, text: signal.text }, signal.urgent === true);
    case 'trigger':
      return triggered(state, signal.trigger);
    case 'matter':
      return signal.matter.direct === true
        ? askOnce(state, signal.matter)
        : escalateIssue(state, signal.matter, atMs);
    case 'violation': // it stands in the journal; what is done about it comes by itself
    case 'retry-now':
    case 'next':
    case 'pause':
    case 'unpause':
    case 'answer':
      return {};
  }
}

/** Whoever passes on what a person decided may have died in the middle of it, and say it again. */
function triggered(state: AgentProgramState, trigger: Trigger): AgentStateChange {
  const of = trigger.kind === 'gang' ? trigger.of : undefined;
  if (of === undefined) return applyTrigger(state, trigger);
  if (state.heardOf.includes(of)) return {};
  const heardOf = [...state.heardOf, of].slice(-HEARD_MAX);
  return { heardOf, ...applyTrigger(state, trigger) };
}

/** Only the number that follows begins anything: whoever says it twice has said it once. */
function begins(state: AgentProgramState, life: number): AgentStateChange {
  if (isAgentAlive(state) || life !== state.lives + 1) return {};
  const back: AgentStateChange = { ...settleIssue(state, 'spent'), lives: life, exit: null };
  const known: AgentStateChange = { ...back, spent: false, wantsLife: false, looked: false };
  const { phase } = state;
  if (phase.kind === 'turn' || state.state === 'failed-reaped')
    return { ...known, ...startWork(state, pendingNews(phase)) };
  // Halted: it goes on with what it was at. What was proven halfway is proven anew.
  if (phase.kind === 'verify') return { ...known, phase: { ...phase, checks: [] } };
  // Somebody may have written while nobody was there to be woken.
  return state.inbox.length === 0 ? known : { ...known, ...wakes({ ...state, ...known }) };
}

function halted(state: AgentProgramState, because: string): AgentStateChange {
  if (!isAgentAlive(state)) return {};
  const { leaving } = state;
  // A question that it was on its way to is put in its next life.
  const to = leaving !== null && 'to' in leaving && leaving.to.kind === 'ask' ? leaving.to : null;
  const told: AgentStateChange = {
    restarted: restartReasonPrompt(because),
    ...(to === null ? {} : askPerson(state, to)),
  };
  const exit = { kind: 'shutdown', detail: because } as const;
  return { ...told, ...leaveLife({ ...state, ...told }, { exit }) };
}

/** A drone is simply gone. For the others, everybody above hears of it and a person decides. */
function spent(state: AgentProgramState, because: string, atMs: number): AgentStateChange {
  if (isAgentAlive(state) || state.spent) return {};
  const { kind, name } = state.life;
  if (KIND_RULES[kind].whenSpent === 'reap')
    return closeAgent(state, { kind: 'failed', reason: `reaped: ${because}` }, 'failed-reaped');
  const what = `is down and is not restarted once more: ${because}`;
  const choices = ['restart', 'dismiss'] as const;
  const told = notifyAbove(state, { kind: 'spent', what: `${name} ${what}`, choices }, atMs);
  const asked = raiseIssue({ ...state, ...told }, { kind: 'spent', what, choices });
  const body = canEnter(state.state, 'failed-reaped') ? enterState(state, 'failed-reaped') : {};
  return { ...told, ...asked, ...body, spent: true };
}

/**
 * Whoever waits is woken; whoever is down is wanted back; whoever works hears it in its next turn, which
 * begins at once where the matter is urgent: no CLI hears anything within one.
 */
function written(
  state: AgentProgramState,
  message: AgentMessage,
  isUrgent: boolean,
): AgentStateChange {
  const inbox = bounded([...state.inbox, message]);
  const got: AgentStateChange = { inbox };
  if (!isAgentAlive(state)) return state.spent ? { ...got, wantsLife: true } : got;
  if (state.leaving !== null) return got;
  const now = { ...state, inbox };
  const { phase } = state;
  if (phase.kind === 'turn' && isUrgent)
    return { ...got, ...leaveLife(now, { to: { kind: 'turn', news: phase.news } }) };
  return { ...got, ...wakes(now) };
}

/** What somebody does who has a message. */
function wakes(state: AgentProgramState): AgentStateChange {
  const { phase } = state;
  switch (phase.kind) {
    case 'wakeup':
      return startWork(state, null);
    case 'done': {
      // An idle one looks into its queue all the time; what it may take at this moment comes as well.
      const isIdle = phase.step === 'take' && mainStep(state) === undefined;
      return phase.step === 'stand' || isIdle ? startWork(state, null) : {};
    }
    case 'ask':
      // What it asked for itself, anybody may tell it.
      if (phase.about !== 'input') return {};
      return leaveLife(state, { to: { kind: 'turn', news: phase.news } });
    case 'turn':
    case 'verify':
    case 'rest':
      return {};
  }
}

function bounded(inbox: readonly AgentMessage[]): readonly AgentMessage[] {
  let few = inbox.slice(-INBOX_MAX);
  const size = (): number => few.reduce((sum, { text }) => sum + text.length, 0);
  while (few.length > 1 && size() > INBOX_CHARS_MAX) few = few.slice(1);
  return few;
}
