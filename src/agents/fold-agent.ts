/** Folds each fact into the state of a long-lived agent. */
import { foldSetup, nextSetupMove } from '../attempts/gates/setup-stage.ts';
import type { RunEvent } from '../protocol/event.ts';
import { afterAnswer, afterIssue, applyLateAnswer, applyDecision } from './fold-answers.ts';
import { afterRelease, afterClaim, foldClaimedItem } from './fold-done.ts';
import { afterSignal } from './fold-signals.ts';
import { afterTurn } from './fold-turn.ts';
import type { AgentProgramState, OpenAgentStep } from './agent-state.ts';
import { commandCount, isAgentAlive, update } from './agent-state.ts';
import { setupRequest } from './next-moves.ts';
import { afterCooldown, afterAvailability } from './agent-cooldown.ts';
import { closeAgent, afterLeaving } from './transitions.ts';
import { afterCheck } from './verify.ts';
import { deliveredMessages, newMessagesPrompt } from './agent-prompts.ts';
import type { CommandBegun, CommandEnd, CommandEnded, CommandNoted } from '../protocol/commands.ts';

const FINALIZE_MAX = 5;
const MESSAGE_INTERRUPTIONS_MAX = 2;

export function foldAgent(state: AgentProgramState, event: RunEvent): AgentProgramState {
  switch (event.type) {
    case 'command.begun':
      return foldBegun(state, event);
    case 'command.noted':
      return foldNoted(state, event.payload);
    case 'command.ended':
      return ended(state, event);
    case 'signal.received':
      return afterSignal(state, event.payload.signal, event.at);
    case 'run.submitted':
    case 'run.forked':
    case 'run.ended':
    case 'command.cancelled':
      return state;
  }
}

function openStep({ key, command, input }: CommandBegun): OpenAgentStep {
  const issue = command === 'ask' ? input.issue : undefined;
  return issue === undefined ? { key, command } : { key, command, issue };
}

function foldBegun(
  before: AgentProgramState,
  event: RunEvent & { readonly type: 'command.begun' },
): AgentProgramState {
  const { command, input } = event.payload;
  const state = update(before, {
    open: [...before.open, openStep(event.payload)],
    counts: { ...before.counts, [command]: commandCount(before, command) + 1 },
    setup: foldSetup(before.setup, event) ?? before.setup,
  });
  if (command !== 'attempt') return state;
  const last = {
    number: commandCount(state, 'attempt'),
    resumed: input.resume !== null,
    session: null,
  };
  const started = update(state, {
    turn: { last, workedIn: state.turn.tree, availabilityChecked: false },
  });
  if (state.phase.kind !== 'turn') return started;
  // The text of this turn stays pending until a turn has completed, so a turn that fails loses nothing.
  const phase = { kind: 'turn', news: newMessagesPrompt(state) } as const;
  const { inbox } = state.mailbox;
  const unread = inbox.slice(deliveredMessages(inbox).length);
  return update(started, { phase, mailbox: { inbox: unread } });
}

/** A conversation of a life that a trigger has ended is not continued. */
function foldNoted(
  state: AgentProgramState,
  { key, command, note }: CommandNoted,
): AgentProgramState {
  const { open, leaving } = state;
  const { last } = state.turn;
  const isOpen = open.some((one) => one.key === key);
  if (command !== 'attempt' || note.kind !== 'session' || !isOpen || last === null) return state;
  const { session } = note;
  const isFailing = leaving?.kind === 'exit' && leaving.exit.kind === 'failed';
  return update(state, {
    turn: { last: { ...last, session }, ...(isFailing ? {} : { session }) },
  });
}

function ended(
  before: AgentProgramState,
  event: RunEvent & { readonly type: 'command.ended' },
): AgentProgramState {
  const { key } = event.payload;
  const step = before.open.find((one) => one.key === key);
  if (step === undefined) return before;
  const state = update(before, {
    open: before.open.filter((one) => one !== step),
    setup: foldSetup(before.setup, event) ?? before.setup,
  });
  const { issue } = step;
  return afterStep(applyDecision(state, event.payload, issue), event.payload, issue, event.at);
}

function afterStep(
  state: AgentProgramState,
  ended: CommandEnded,
  issueNumber: number | undefined,
  atMs: number,
): AgentProgramState {
  const { command, end } = ended;
  const { issues } = state;
  if (command === 'send-message') return afterMessage(state, end);
  if (command === 'broadcast')
    return end.kind === 'interrupted'
      ? state
      : update(state, { issues: { broadcasts: issues.broadcasts.slice(1) } });
  if (command === 'ask' && issueNumber !== undefined) {
    const issue = issues.open.find(({ number }) => number === issueNumber);
    return issue === undefined ? state : afterIssue(state, issue, end);
  }
  if (command === 'finalize') {
    const finalized = end.kind !== 'interrupted' || commandCount(state, 'finalize') >= FINALIZE_MAX;
    return update(state, { ending: { finalized } });
  }
  if (command === 'release-item') return afterLeaving(afterRelease(state, end));
  const setup = command === 'setup' ? nextSetupMove(state.setup, setupRequest(state)) : undefined;
  if (setup?.kind === 'end') return closeAgent(state, setup.outcome, 'failed');
  if (state.leaving !== null) return afterLeaving(afterCancelledStep(state, ended));
  if (isAgentAlive(state)) return afterOwnStep(state, ended, atMs);
  return command === 'claim-item' ? foldClaimedItem(state, end) : state;
}

/** A file or an answer that arrives while the step is cancelled still counts. */
function afterCancelledStep(
  state: AgentProgramState,
  { command, end }: CommandEnded,
): AgentProgramState {
  const { phase } = state;
  if (command === 'claim-item') return foldClaimedItem(state, end);
  return command === 'ask' && phase.kind === 'ask' ? applyLateAnswer(state, phase, end) : state;
}

function afterOwnStep(
  state: AgentProgramState,
  { command, end }: CommandEnded,
  atMs: number,
): AgentProgramState {
  const { phase } = state;
  switch (phase.kind) {
    case 'turn':
      if (command === 'check-availability') return afterAvailability(state, end, atMs);
      return command === 'attempt' ? afterTurn(state, end, atMs) : state;
    case 'verify':
      return command === 'gate' ? afterCheck(state, phase, end) : state;
    case 'cooldown':
      if (command === 'set-cooldown')
        return update(state, { phase: { ...phase, mustRecord: end.kind === 'interrupted' } });
      return command === 'wait' ? afterCooldown(state, phase.news, end) : state;
    case 'ask':
      return command === 'ask' ? afterAnswer(state, phase, end) : state;
    case 'done':
      return command === 'claim-item' ? afterClaim(state, end) : state;
    case 'wakeup':
      return state;
  }
}

/** A message whose delivery was interrupted is sent again, up to a bound. */
function afterMessage(
  state: AgentProgramState,
  end: CommandEnd<'send-message'>,
): AgentProgramState {
  const [first, ...rest] = state.mailbox.outgoing;
  if (
    first === undefined ||
    end.kind !== 'interrupted' ||
    first.interruptions >= MESSAGE_INTERRUPTIONS_MAX
  )
    return update(state, { mailbox: { outgoing: rest } });
  return update(state, {
    mailbox: { outgoing: [{ ...first, interruptions: first.interruptions + 1 }, ...rest] },
  });
}
