/** How each event changes the state of the attempt loop. One command is open at a time. */
import type { Payload, RunEvent } from '../protocol/event.ts';
import { isAgentSignal } from '../protocol/signal.ts';
import { foldMessages, NO_MESSAGES } from '../protocol/views/message-view.ts';
import type { AttemptsState } from './attempts-state.ts';
import { NEW_ATTEMPT, chainSettings, lastAttempt, updateLast } from './attempts-state.ts';
import { buildChain } from './choice/chain.ts';
import type { PastAttempt } from './past-attempt.ts';
import { toPastAttempt } from './past-attempt.ts';
import { isSkipped } from './choice/agent-history.ts';
import { currentIdentity, whyNoNextAgent } from './choice/next-agent.ts';
import { agentIdentity } from './choice/identity.ts';
import { afterHandBack, takeoverAsked, takeoverBegun } from './taken-over.ts';
import { foldBaseline } from './gates/baseline-stage.ts';
import { afterGateAnswer } from './gates/ask-about-gate.ts';
import { oneGateEnded } from './gates/gate-ended.ts';
import { afterKeylessStart, afterKeysAnswer } from './choice/keyless.ts';
import { foldSetup } from './gates/setup-stage.ts';
import type {
  Availability,
  Command,
  CommandBegun,
  CommandEnd,
  CommandEnded,
  CommandNoted,
} from '../protocol/commands.ts';
import type { AttemptInput, AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';

const NAMES_MAX = 20;
const FINALIZE_MAX = 5;
const NAME_CHARS_MAX = 200;

export function foldState(state: AttemptsState, event: RunEvent): AttemptsState {
  const messages = foldMessages(state.messages ?? NO_MESSAGES, event);
  const told = messages === NO_MESSAGES ? state : { ...state, messages };
  if (isDelivery(event)) return told;
  const setup = foldSetup(state.setup, event);
  if (setup !== undefined) return { ...told, setup };
  const baseline = foldBaseline(state.baseline, event);
  if (baseline !== undefined) return { ...told, baseline };
  return { ...told, ...stateChange(state, event) };
}

/** A delivery runs beside the attempt, which stays the open command. */
function isDelivery(event: RunEvent): boolean {
  return 'command' in event.payload && event.payload.command === 'deliver-message';
}

function stateChange(state: AttemptsState, event: RunEvent): Partial<AttemptsState> {
  switch (event.type) {
    case 'command.begun':
      return commandBegun(state, event.payload, event.at);
    case 'command.noted':
      return commandNoted(state, event.payload);
    case 'command.ended':
      return { open: null, ...commandEnded(state, event.payload, event.at) };
    case 'signal.received':
      return signalReceived(state, event.payload.signal, event.at);
    case 'run.submitted':
    case 'run.forked':
    case 'run.ended':
    case 'command.cancelled':
      return {};
  }
}

function commandBegun(
  state: AttemptsState,
  begun: CommandBegun,
  at: number,
): Partial<AttemptsState> {
  const { counts } = state;
  const { key, command, input } = begun;
  const opened: Partial<AttemptsState> = {
    open: { key, command },
    ...(isCounted(command, counts)
      ? { counts: { ...counts, [command]: counts[command] + 1 } }
      : {}),
  };
  if (command === 'attempt')
    return { ...opened, ...attemptBegun(state, input), ...takeoverBegun(state, input) };
  if (command === 'finalize') return { ...opened, closing: input.outcome };
  if (command === 'gate')
    return {
      ...opened,
      openGates: [...(state.openGates ?? []), key],
      ...(input.known === undefined ? {} : { green: input.known.place }),
    };
  if (command === 'ask' && input.about === 'keys')
    return { ...opened, open: { key, command, about: 'keys' } };
  if (command !== 'wait') return opened;
  const isForAgent = input.reason === 'cooldown';
  const isForLimit = isForAgent || lastAttempt(state)?.failure?.coolsDown === true;
  return {
    ...(isForAgent ? { hasCooled: true } : {}),
    ...opened,
    open: { key, command, ...(isForLimit ? { limit: { from: at, until: input.until } } : {}) },
  };
}

function isCounted(
  command: Command,
  counts: AttemptsState['counts'],
): command is keyof AttemptsState['counts'] {
  return Object.hasOwn(counts, command);
}

function attemptBegun(
  state: AttemptsState,
  { agent, resume, resumePrompt }: AttemptInput,
): Partial<AttemptsState> {
  const { attempt, waited, skipsCooldown, hasCooled, limitWaitMs, answer, asked } = state;
  const number = state.highestNumber + 1;
  return {
    lastNumber: number,
    highestNumber: number,
    attempt: {
      number,
      agent: agent.id,
      identity: agentIdentity(agent),
      resumed: resume !== null,
      resumePrompt,
      session: null,
      content: null,
      files: null,
      names: [],
      ...(limitWaitMs > 0 ? { limitWaitMs } : {}),
    },
    ...NEW_ATTEMPT,
    replaced: { attempt, waited, skipsCooldown, hasCooled, limitWaitMs, answer, asked },
  };
}

function commandNoted(
  { attempt }: AttemptsState,
  { command, note }: CommandNoted,
): Partial<AttemptsState> {
  if (command !== 'attempt' || attempt === null) return {};
  if (note.kind === 'session') return { attempt: { ...attempt, session: note.session } };
  if (note.kind === 'turn' && attempt.hasTurns !== true)
    return { attempt: { ...attempt, hasTurns: true } };
  if (note.kind !== 'committed') return {};
  const names = note.names.slice(0, NAMES_MAX).map((name) => name.slice(0, NAME_CHARS_MAX));
  return { attempt: { ...attempt, content: note.content, files: note.files, names } };
}

function commandEnded(
  state: AttemptsState,
  { key, command, end }: CommandEnded,
  at: number,
): Partial<AttemptsState> {
  const interrupted = end.kind === 'interrupted' ? { interruptions: state.interruptions + 1 } : {};
  switch (command) {
    case 'attempt':
      if (end.kind === 'interrupted') return interrupted;
      return afterAttempt(state, attemptOutcome(end), at);
    case 'check-availability': {
      if (end.kind === 'interrupted') return interrupted;
      // A check that failed must not keep the run from continuing.
      const availability = end.kind === 'done' ? end.result : unknownAvailability(at);
      return { availability, order: state.order ?? buildChain(chainSettings(state), availability) };
    }
    case 'set-cooldown':
      return end.kind === 'interrupted'
        ? interrupted
        : { past: updateLast(state, { isCooldownStored: end.kind === 'done' }) };
    case 'gate':
      return oneGateEnded(state, key, end);
    case 'finalize':
      // An interruption is no reason to give up, but the number of tries is bounded.
      return { finalized: end.kind !== 'interrupted' || state.counts.finalize > FINALIZE_MAX };
    case 'wait': {
      // A fork does not have the wait of the run that it continues: it starts its own.
      const { cancelled, skipped } = end.kind === 'done' ? end.result : {};
      const over = { availability: null, limitWaitMs: state.limitWaitMs + limitWait(state, at) };
      if (end.kind === 'interrupted' || cancelled === true) return over;
      return { ...over, waited: true, skipsCooldown: skipped === true };
    }
    case 'ask':
      if (state.open?.about === 'keys') return afterKeysAnswer(end);
      return afterAnswer(
        state,
        end.kind === 'done' && 'answer' in end.result ? end.result.answer : null,
      );
    case 'setup':
    case 'baseline':
    case 'claim-item':
    case 'release-item':
    case 'send-message':
    case 'deliver-message':
    case 'broadcast':
    case 'prepare-step':
    case 'collect-step':
    case 'assess-change':
    case 'update-breaker':
    case 'open-base':
    case 'merge-work':
    case 'write-interfaces':
    case 'commit-work':
    case 'run':
      return interrupted;
  }
}

/** A machine that slept, a pause or a dead owner may have ended the wait long after its limit. */
function limitWait({ open }: AttemptsState, at: number): number {
  if (open?.limit === undefined) return 0;
  const { from, until } = open.limit;
  return Math.max(0, Math.min(at, until) - from);
}

function afterAnswer(state: AttemptsState, answer: string | null): Partial<AttemptsState> {
  return afterHandBack(state, answer) ?? afterGateAnswer(state, answer) ?? { answer };
}

function unknownAvailability(at: number): Availability {
  return { at: new Date(at).toISOString(), cooling: [], uses: {}, lastFirst: null };
}

function attemptOutcome(
  end: Exclude<CommandEnd<'attempt'>, { kind: 'interrupted' }>,
): AttemptOutcome {
  if (end.kind === 'done') return end.result;
  return {
    kind: 'failed',
    reason: 'crashed',
    message: `internal error in Supervisor: ${end.message}`,
  };
}

function afterAttempt(
  state: AttemptsState,
  outcome: AttemptOutcome,
  at: number,
): Partial<AttemptsState> {
  const keyless = afterKeylessStart(state, outcome);
  return keyless ?? { attempt: null, past: addPastAttempt(state, outcome, at) };
}

/** Of earlier attempts only the end stays. The next prompt lists the files of the last attempt alone. */
function addPastAttempt(
  state: AttemptsState,
  outcome: AttemptOutcome,
  at: number,
): readonly PastAttempt[] {
  const { attempt, past } = state;
  if (attempt === null) return past;
  const ended = toPastAttempt(attempt, outcome, at);
  const lastRed = past.findLastIndex(({ redGate }) => redGate !== null);
  return [...past.map((before, place) => withoutDetails(before, place === lastRed)), ended];
}

/** The last red gate stays whole: the next one is compared with it, or repeats it if no file changes. */
function withoutDetails(before: PastAttempt, isLastRed: boolean): PastAttempt {
  if (before.redGate === null || isLastRed) return { ...before, names: [] };
  const { judged: _, sinceBase: _since, ...redGate } = before.redGate;
  return { ...before, names: [], redGate: { ...redGate, output: '' } };
}

function signalReceived(
  state: AttemptsState,
  signal: Payload<'signal.received'>['signal'],
  at: number,
): Partial<AttemptsState> {
  if (isAgentSignal(signal)) return {};
  switch (signal.kind) {
    case 'kill':
      return { stop: 'kill' };
    case 'stop':
      return { stop: state.stop ?? 'stop' };
    case 'next':
      return skipAgent(state, at);
    case 'takeover':
      return takeoverAsked(state, signal);
    case 'retry-now':
    case 'pause':
    case 'unpause':
    case 'merge-queue':
    case 'answer':
    case 'tell':
      return {};
  }
}

/** If no other agent can start now, the current agent stays. */
function skipAgent(state: AttemptsState, at: number): Partial<AttemptsState> {
  const identity = currentIdentity(state);
  if (identity === undefined || isSkipped(state, identity)) return {};
  if (whyNoNextAgent(state, at) !== undefined) return {};
  const open = state.open === null ? null : { ...state.open, isSkipped: true as const };
  return { skippedIdentities: [...state.skippedIdentities, identity], open };
}
