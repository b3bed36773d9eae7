/** How each event changes the state of the attempt loop. One command is open at a time. */
import type { Payload, RunEvent } from '../protocol/event.ts';
import { isAgentSignal } from '../protocol/event.ts';
import type { AttemptsState } from './attempts-state.ts';
import { NEW_ATTEMPT, chainSettings, attemptHistory } from './attempts-state.ts';
import { buildChain } from './chain.ts';
import type { PastAttempt, RedGate } from './attempt-records.ts';
import { toPastEnd, otherAgents } from './attempt-records.ts';
import { agentIdentity } from './identity.ts';
import { foldSetup } from './setup-stage.ts';
import type {
  Availability,
  Command,
  CommandBegun,
  CommandEnd,
  CommandEnded,
  CommandNoted,
} from '../protocol/commands.ts';
import type { AttemptInput, AttemptOutcome } from '../protocol/attempt-contract.ts';
import type { GateOutcome } from '../protocol/gate-contract.ts';

const NAMES_MAX = 20;
const FINALIZE_MAX = 5;
const NAME_CHARS_MAX = 200;
const RED_CHARS_MAX = 4000;

export function foldState(state: AttemptsState, event: RunEvent): AttemptsState {
  const setup = foldSetup(state.setup, event);
  return setup === undefined ? { ...state, ...change(state, event) } : { ...state, setup };
}

function change(state: AttemptsState, event: RunEvent): Partial<AttemptsState> {
  switch (event.type) {
    case 'command.begun':
      return begun(state, event.payload, event.at);
    case 'command.noted':
      return noted(state, event.payload);
    case 'command.ended':
      return { open: null, ...ended(state, event.payload, event.at) };
    case 'signal.received':
      return signalled(state, event.payload.signal, event.at);
    case 'run.submitted':
    case 'run.forked':
    case 'run.ended':
    case 'command.cancelled':
      return {};
  }
}

function begun(state: AttemptsState, begun: CommandBegun, at: number): Partial<AttemptsState> {
  const { counts } = state;
  const { key, command, input } = begun;
  const opened: Partial<AttemptsState> = {
    open: { key, command },
    ...(isCounted(command, counts)
      ? { counts: { ...counts, [command]: counts[command] + 1 } }
      : {}),
  };
  if (command === 'attempt') return { ...opened, ...attemptBegun(state, input) };
  if (command === 'finalize') return { ...opened, closing: input.outcome };
  const rests = command === 'wait' && input.reason === 'cooldown';
  return rests ? { ...opened, restingSince: state.restingSince ?? at } : opened;
}

function isCounted(
  command: Command,
  counts: AttemptsState['counts'],
): command is keyof AttemptsState['counts'] {
  return Object.hasOwn(counts, command);
}

function attemptBegun(
  { counts }: AttemptsState,
  { agent, resume, resumePrompt }: AttemptInput,
): Partial<AttemptsState> {
  return {
    attempt: {
      number: counts.attempt + 1,
      agent: agent.id,
      identity: agentIdentity(agent),
      resumed: resume !== null,
      said: resumePrompt,
      session: null,
      files: null,
      names: [],
    },
    ...NEW_ATTEMPT,
  };
}

function noted(
  { attempt }: AttemptsState,
  { command, note }: CommandNoted,
): Partial<AttemptsState> {
  if (command !== 'attempt' || attempt === null) return {};
  if (note.kind === 'session') return { attempt: { ...attempt, session: note.session } };
  if (note.kind !== 'kept') return {};
  const names = note.names.slice(0, NAMES_MAX).map((name) => name.slice(0, NAME_CHARS_MAX));
  return { attempt: { ...attempt, files: note.files, names } };
}

function ended(
  state: AttemptsState,
  { command, end }: CommandEnded,
  at: number,
): Partial<AttemptsState> {
  const lost = end.kind === 'lost' ? { lost: state.lost + 1 } : {};
  switch (command) {
    case 'attempt':
      return end.kind === 'lost'
        ? lost
        : { attempt: null, past: withPast(state, outcomeOf(end), at) };
    case 'check-availability': {
      if (end.kind === 'lost') return lost;
      // A check that failed must not keep the run from continuing.
      const survey = end.kind === 'done' ? end.result : unknownAvailability(at);
      return { survey, order: state.order ?? buildChain(chainSettings(state), survey) };
    }
    case 'set-cooldown':
      return end.kind === 'lost'
        ? lost
        : { past: changedLast(state, { cooled: end.kind === 'done' }) };
    case 'gate':
      return end.kind === 'lost' ? { ...lost, gateLost: state.gateLost + 1 } : judged(state, end);
    case 'finalize':
      // An interruption is no reason to give up, but the number of tries is bounded.
      return { finalized: end.kind !== 'lost' || state.counts.finalize > FINALIZE_MAX };
    case 'wait': {
      // A fork does not have the wait of the run that it continues: it starts its own.
      const { cancelled, skipped } = end.kind === 'done' ? end.result : {};
      if (end.kind === 'lost' || cancelled === true) return { survey: null };
      return { waited: true, survey: null, bypass: skipped === true };
    }
    case 'ask':
      return {
        answer: end.kind === 'done' && 'answer' in end.result ? end.result.answer : null,
      };
    case 'setup':
    case 'claim-item':
    case 'release-item':
    case 'send-message':
    case 'broadcast':
      return lost;
  }
}

function unknownAvailability(at: number): Availability {
  return { at: new Date(at).toISOString(), cooling: [], uses: {}, lastFirst: null };
}

function outcomeOf(end: Exclude<CommandEnd<'attempt'>, { kind: 'lost' }>): AttemptOutcome {
  if (end.kind === 'done') return end.result;
  return {
    kind: 'failed',
    reason: 'crashed',
    message: `internal error in Supervisor: ${end.message}`,
  };
}

/** Of earlier attempts only the end is stored. The next prompt lists the files of the last attempt alone. */
function withPast(
  state: AttemptsState,
  outcome: AttemptOutcome,
  at: number,
): readonly PastAttempt[] {
  const { attempt, past } = state;
  if (attempt === null) return past;
  const session = outcome.kind === 'stopped' ? null : (outcome.session ?? null);
  const one: PastAttempt = {
    ...attempt,
    session: session ?? attempt.session,
    endedAt: at,
    end: toPastEnd(outcome),
    cooled: null,
    red: null,
  };
  return [...past.map((before, place) => withoutDetails(before, place === past.length - 1)), one];
}

/** The output of the last gate stays, because the output of the next one is compared with it. */
function withoutDetails(before: PastAttempt, isLast: boolean): PastAttempt {
  const red = before.red === null || isLast ? before.red : { ...before.red, words: '' };
  return { ...before, names: [], red };
}

function changedLast({ past }: AttemptsState, news: Partial<PastAttempt>): readonly PastAttempt[] {
  return past.map((one, place) => (place === past.length - 1 ? { ...one, ...news } : one));
}

function judged(
  state: AttemptsState,
  end: Exclude<CommandEnd<'gate'>, { kind: 'lost' }>,
): Partial<AttemptsState> {
  const outcome = gateOutcome(state, end);
  const gate = state.settings.gates?.[state.green];
  const isWarning = gate?.warns === true;
  if (outcome.kind === 'passed' || isWarning) return { green: state.green + 1, gateLost: 0 };
  const words = outcome.kind === 'failed' ? outcome.tail : outcome.why;
  const red: RedGate = {
    name: outcome.name,
    kind: outcome.kind,
    words: words.slice(-RED_CHARS_MAX),
    ...(gate?.blocks === true ? { blocks: true } : {}),
  };
  return { past: changedLast(state, { red }), gateLost: 0 };
}

function gateOutcome(
  state: AttemptsState,
  end: Exclude<CommandEnd<'gate'>, { kind: 'lost' }>,
): GateOutcome {
  if (end.kind === 'done') return end.result;
  return {
    kind: 'unable',
    name: gateName(state),
    why: `internal error in Supervisor: ${end.message}`,
  };
}

function gateName({ settings, green }: AttemptsState): string {
  return settings.gates?.[green]?.name ?? 'gate';
}

function signalled(
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
      return passOver(state, at);
    case 'retry-now':
    case 'pause':
    case 'unpause':
    case 'answer':
      return {};
  }
}

/** If no other agent can start now, the current agent stays. */
function passOver(state: AttemptsState, at: number): Partial<AttemptsState> {
  const identity = state.attempt?.identity ?? state.past.at(-1)?.identity;
  if (identity === undefined || state.passed.includes(identity)) return {};
  const others = otherAgents(attemptHistory(state), identity, at);
  if (others.length === 0) return {};
  const open = state.open === null ? null : { ...state.open, isPassed: true as const };
  return { passed: [...state.passed, identity], open };
}
