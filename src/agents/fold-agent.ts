/** How each fact changes a long-lived agent. */
import { foldSetup, nextSetupMove } from '../attempts/setup-stage.ts';
import type { CommandEnd, Payload, RunEvent } from '../protocol/event.ts';
import { afterAnswer, afterIssue, applyLateAnswer, applyDecision } from './fold-answers.ts';
import { afterPut, afterTake, foldTakenItem } from './fold-done.ts';
import { afterSignal } from './fold-signals.ts';
import { afterTurn } from './fold-turn.ts';
import type { AgentStateChange, AgentProgramState, OpenAgentStep } from './agent-state.ts';
import { commandCount, isAgentAlive, isMain, ISSUE_KEY } from './agent-state.ts';
import { setupRequest } from './next-moves.ts';
import { afterCooldown, afterAvailability } from './agent-cooldown.ts';
import { closeAgent, afterLeaving } from './transitions.ts';
import { afterCheck } from './verify.ts';
import { deliveredPrompt, newMessagesPrompt } from './agent-prompts.ts';

const FINALIZE_MAX = 5;
const LETTER_LOST_MAX = 2;

export function foldAgent(state: AgentProgramState, event: RunEvent): AgentProgramState {
  switch (event.type) {
    case 'command.begun':
      return began(state, event);
    case 'command.noted':
      return { ...state, ...noted(state, event.payload) };
    case 'command.ended':
      return ended(state, event);
    case 'signal.received':
      return { ...state, ...afterSignal(state, event.payload.signal, event.at) };
    case 'run.submitted':
    case 'run.forked':
    case 'run.ended':
    case 'command.cancelled':
      return state;
  }
}

function began(
  state: AgentProgramState,
  event: RunEvent & { readonly type: 'command.begun' },
): AgentProgramState {
  const { key, command, input } = event.payload;
  const begun: AgentProgramState = {
    ...state,
    open: [...state.open, { key, command }],
    counts: { ...state.counts, [command]: commandCount(state, command) + 1 },
    setup: foldSetup(state.setup, event) ?? state.setup,
  };
  if (command !== 'attempt') return begun;
  const turn = {
    number: commandCount(begun, 'attempt'),
    resumed: typeof input['resume'] === 'string',
    session: null,
  };
  const known = { ...begun, turn, workedIn: state.tree, looked: false };
  if (state.phase.kind !== 'turn') return known;
  // What it is told now is told again if this turn comes to nothing.
  const phase = { kind: 'turn', news: newMessagesPrompt(state) } as const;
  const inbox = state.inbox.slice(deliveredPrompt(state.inbox).length);
  return { ...known, phase, inbox };
}

/** Of a life that was cut nothing is taken up any more, whatever it says on its way out. */
function noted(
  { open, turn, leaving }: AgentProgramState,
  { key, note }: Payload<'command.noted'>,
): AgentStateChange {
  const isTurn = open.some((one) => one.key === key && one.command === 'attempt');
  if (!isTurn || turn === null || note['kind'] !== 'session') return {};
  const { session } = note;
  if (typeof session !== 'string') return {};
  const isCut = leaving !== null && 'exit' in leaving && leaving.exit.kind === 'failed';
  return { turn: { ...turn, session }, ...(isCut ? {} : { session }) };
}

function ended(
  before: AgentProgramState,
  event: RunEvent & { readonly type: 'command.ended' },
): AgentProgramState {
  const { key, end } = event.payload;
  const step = before.open.find((one) => one.key === key);
  if (step === undefined) return before;
  const state: AgentProgramState = {
    ...before,
    open: before.open.filter((one) => one !== step),
    setup: foldSetup(before.setup, event) ?? before.setup,
  };
  const known = { ...state, ...applyDecision(state, step, end) };
  return { ...known, ...after(known, step, end, event.at) };
}

function after(
  state: AgentProgramState,
  step: OpenAgentStep,
  end: CommandEnd,
  atMs: number,
): AgentStateChange {
  if (step.command === 'tell') return afterLetter(state, end);
  if (step.command === 'spread')
    return end.kind === 'lost' ? {} : { forAll: state.forAll.slice(1) };
  if (!isMain(step)) {
    const number = Number(step.key.slice(ISSUE_KEY.length));
    const matter = state.matters.find((one) => one.number === number);
    return matter === undefined ? {} : afterIssue(state, matter, end);
  }
  if (step.command === 'finalize')
    return { finalized: end.kind !== 'lost' || commandCount(state, 'finalize') >= FINALIZE_MAX };
  if (step.command === 'put') {
    const away = afterPut(state, end);
    return { ...away, ...afterLeaving({ ...state, ...away }) };
  }
  const setup =
    step.command === 'setup' ? nextSetupMove(state.setup, setupRequest(state)) : undefined;
  if (setup?.kind === 'end') return closeAgent(state, setup.outcome, 'failed-reaped');
  if (state.leaving !== null) {
    const now = atTheLastMoment(state, step, end);
    return { ...now, ...afterLeaving({ ...state, ...now }) };
  }
  if (isAgentAlive(state)) return whileAlive(state, step, end, atMs);
  return step.command === 'take' ? foldTakenItem(state, end) : {};
}

/** What it took, or was answered, while it was called off is as good as before. */
function atTheLastMoment(
  state: AgentProgramState,
  { command }: OpenAgentStep,
  end: CommandEnd,
): AgentStateChange {
  const { phase } = state;
  if (command === 'take') return foldTakenItem(state, end);
  return command === 'ask' && phase.kind === 'ask' ? applyLateAnswer(state, phase, end) : {};
}

function whileAlive(
  state: AgentProgramState,
  { command }: OpenAgentStep,
  end: CommandEnd,
  atMs: number,
): AgentStateChange {
  const { phase } = state;
  switch (phase.kind) {
    case 'turn':
      if (command === 'survey') return afterAvailability(state, end, atMs);
      return command === 'attempt' ? afterTurn(state, end, atMs) : {};
    case 'verify':
      return command === 'gate' ? afterCheck(state, phase, end) : {};
    case 'rest':
      if (command === 'cool') return { phase: { ...phase, cools: end.kind === 'lost' } };
      return command === 'wait' ? afterCooldown(phase.news, end) : {};
    case 'ask':
      return command === 'ask' ? afterAnswer(state, phase, end) : {};
    case 'done':
      return command === 'take' ? afterTake(state, end) : {};
    case 'wakeup':
      return {};
  }
}

/** A letter that may not have arrived is written once more, and then not again. */
function afterLetter({ outbox }: AgentProgramState, end: CommandEnd): AgentStateChange {
  const [first, ...rest] = outbox;
  if (first === undefined || end.kind !== 'lost' || first.lost >= LETTER_LOST_MAX)
    return { outbox: rest };
  return { outbox: [{ ...first, lost: first.lost + 1 }, ...rest] };
}
