/** The messages of a run, folded from its facts: which wait, which were sent, and which the gateway has seen. */
import { z } from 'zod';
import { truncate } from '../../base/text.ts';
import type { AttemptInput, AttemptNote } from '../contracts/attempt-contract.ts';
import type { CommandBegun, CommandEnd, CommandEnded, CommandNoted } from '../commands.ts';
import type { RunEvent } from '../event.ts';
import type { DeliverMessageInput, DeliverMessageResult } from '../run-message.ts';
import { MESSAGE_CHANNELS, RUN_MESSAGES_MAX, RunMessage } from '../run-message.ts';

/** `parked`: it can't be delivered now. Its reason says when it will be, or that it never was. */
export const MESSAGE_STATES = ['queued', 'sent', 'seen', 'parked'] as const;

export const MessageView = RunMessage.extend({
  /** When it was queued. Times are milliseconds since 1970. */
  at: z.number(),
  state: z.enum(MESSAGE_STATES),
  /** Why it is parked, or why it counts as sent only. Null: the state says it all. */
  why: z.string().nullable(),
  channel: z.enum(MESSAGE_CHANNELS).nullable(),
  /** The number of the attempt that it was sent to last. */
  attempt: z.number().int().nullable(),
  sentAt: z.number().nullable(),
  seenAt: z.number().nullable(),
  /** The number of the answered model call that had it, and how often it was in there. */
  request: z.number().int().nullable(),
  times: z.number().int().nullable(),
});
export type MessageView = z.infer<typeof MessageView>;

/** The attempt that runs, as far as messages need it. */
type RunningAttempt = {
  readonly key: string;
  readonly number: number;
  /** How a message reaches it while it works. Null: not at all, or its agent has not started. */
  readonly channel: DeliverMessageInput['channel'] | null;
  readonly hasStarted: boolean;
  /** A gateway sees its model calls. */
  readonly isWatched: boolean;
  /** The message that its prompt has. */
  readonly carries: string | null;
};

export type MessagesState = {
  /** Oldest first. */
  readonly all: readonly MessageView[];
  readonly attempt: RunningAttempt | null;
  /** The delivery that has begun and not ended. */
  readonly delivery: { readonly key: string; readonly id: string } | null;
  /** The interrupts that the running attempt is stopped for: those that arrived while it ran. */
  readonly interrupts: readonly string[];
  /** The number of the attempt that an interrupt has stopped last. */
  readonly stopped: number | null;
  /** How many attempts began only to deliver a message. */
  readonly attempts: number;
};

export const NO_MESSAGES: MessagesState = {
  all: [],
  attempt: null,
  delivery: null,
  interrupts: [],
  stopped: null,
  attempts: 0,
};

/** Of a message that is done, only its beginning stays in the state. */
const KEPT_CHARS_MAX = 500;

const RUN_ENDED_FIRST = 'the run ended before it was delivered';
const INTERRUPTED = 'its delivery was interrupted';
const NOT_WATCHED = 'no gateway sees the model calls of this agent';
const NOT_SEEN = 'no model call that had it was answered';

export function foldMessages(state: MessagesState, event: RunEvent): MessagesState {
  switch (event.type) {
    case 'signal.received': {
      const { signal } = event.payload;
      return signal.kind === 'tell' ? withMessage(state, signal.message, event.at) : state;
    }
    case 'command.begun':
      return begun(state, event.payload, event.at);
    case 'command.noted':
      return noted(state, event.payload, event.at);
    case 'command.ended':
      return ended(state, event.payload, event.at);
    case 'run.ended':
      return state.all.every(isDone) ? state : { ...state, all: state.all.map(parkedAtEnd) };
    case 'run.submitted':
    case 'run.forked':
    case 'command.cancelled':
      return state;
  }
}

function parkedAtEnd(message: MessageView): MessageView {
  return isDone(message) ? message : { ...message, state: 'parked', why: RUN_ENDED_FIRST };
}

/** The messages of a run that continues another: what that run could not deliver waits again. */
export function continueMessages({ all, attempts }: MessagesState): MessagesState {
  return { ...NO_MESSAGES, attempts, all: all.map((one) => (isDone(one) ? one : waiting(one))) };
}

/** Nothing is left to do about it. */
export function isDone({ state, sentAt, why }: MessageView): boolean {
  return state === 'seen' || (state === 'sent' && sentAt !== null && why !== null);
}

function withMessage(state: MessagesState, message: RunMessage, at: number): MessagesState {
  const isKnown = state.all.some(({ id }) => id === message.id);
  if (isKnown || state.all.length >= RUN_MESSAGES_MAX) return state;
  const { attempt } = state;
  const fresh: MessageView = {
    ...message,
    at,
    ...{ state: 'queued', why: null, channel: null, attempt: null },
    ...{ sentAt: null, seenAt: null, request: null, times: null },
  };
  const parked = attempt?.hasStarted === true ? parkWithout(attempt, fresh) : fresh;
  const stops = attempt !== null && message.verb === 'interrupt';
  const interrupts = stops ? [...state.interrupts, message.id] : state.interrupts;
  return { ...state, interrupts, all: [...state.all, parked] };
}

/** An agent without a channel reads nothing while it works. An interrupt and a queued message wait for its end anyway. */
function parkWithout({ channel, number }: RunningAttempt, message: MessageView): MessageView {
  if (channel !== null || message.verb !== 'steer' || message.state !== 'queued') return message;
  const why = `the agent of attempt ${number} takes no message while it works: it waits for the next prompt`;
  return { ...message, state: 'parked', why };
}

function change(
  state: MessagesState,
  id: string | null,
  update: (message: MessageView) => MessageView,
): MessagesState {
  return { ...state, all: state.all.map((one) => (one.id === id ? update(one) : one)) };
}

function begun(state: MessagesState, fact: CommandBegun, at: number): MessagesState {
  const { key, command, input } = fact;
  if (command === 'attempt') return attemptBegun(state, key, input, at);
  if (command !== 'deliver-message') return state;
  const { message, channel } = input;
  const number = state.attempt?.number ?? null;
  return change({ ...state, delivery: { key, id: message.id } }, message.id, (one) => ({
    ...one,
    state: 'queued',
    why: null,
    channel,
    attempt: number,
  }));
}

function attemptBegun(
  state: MessagesState,
  key: string,
  { number, message, why }: AttemptInput,
  at: number,
): MessagesState {
  const carries = message?.id ?? null;
  const attempt = { key, number, channel: null, hasStarted: false, isWatched: false, carries };
  const attempts = state.attempts + (why.kind === 'message' ? 1 : 0);
  return change({ ...state, attempt, attempts, stopped: null }, carries, (one) => ({
    ...one,
    state: 'sent',
    why: null,
    channel: 'prompt',
    attempt: number,
    sentAt: at,
  }));
}

function noted(state: MessagesState, { key, command, note }: CommandNoted, at: number) {
  if (command === 'deliver-message')
    return change(state, state.delivery?.id ?? null, (one) => ({
      ...one,
      state: 'sent',
      sentAt: at,
    }));
  if (command !== 'attempt' || key !== state.attempt?.key) return state;
  return attemptNoted(state, state.attempt, note, at);
}

function attemptNoted(
  state: MessagesState,
  attempt: RunningAttempt,
  note: AttemptNote,
  at: number,
): MessagesState {
  if (note.kind === 'message-seen')
    return change(state, note.message, (one) => seen(one, note, at));
  if (note.kind !== 'started') return state;
  const isWatched = note.sandbox !== 'none';
  const started = { ...attempt, channel: note.messages ?? null, hasStarted: true, isWatched };
  const all = state.all.map((one) => parkWithout(started, one));
  return { ...state, attempt: started, all };
}

function seen(
  message: MessageView,
  { request, times }: Pick<Extract<DeliverMessageResult, { kind: 'seen' }>, 'request' | 'times'>,
  at: number,
): MessageView {
  return shortened({ ...message, state: 'seen', why: null, seenAt: at, request, times });
}

function shortened(message: MessageView): MessageView {
  return { ...message, text: truncate(message.text, KEPT_CHARS_MAX) };
}

function ended(state: MessagesState, { key, command, end }: CommandEnded, at: number) {
  if (command === 'deliver-message') return deliveryEnded(state, key, end, at);
  return command === 'attempt' ? attemptEnded(state, end, at) : state;
}

function deliveryEnded(
  state: MessagesState,
  key: string,
  end: CommandEnd<'deliver-message'>,
  at: number,
): MessagesState {
  const { delivery } = state;
  if (delivery?.key !== key) return state;
  const over = { ...state, delivery: null };
  const result: DeliverMessageResult =
    end.kind === 'done' ? end.result : { kind: 'undelivered', why: INTERRUPTED };
  if (result.kind === 'seen') return change(over, delivery.id, (one) => seen(one, result, at));
  const { why } = result;
  return change(over, delivery.id, (one) => parkedUntilPrompt(one, why));
}

function parkedUntilPrompt(message: MessageView, why: string): MessageView {
  if (isDone(message)) return message;
  return { ...message, state: 'parked', why: `${why}: it waits for the next prompt` };
}

/** Without a receipt, a message counts as read only if the attempt ended by itself and no gateway could have seen it. */
function attemptEnded(state: MessagesState, end: CommandEnd<'attempt'>, at: number): MessagesState {
  const { attempt, all, interrupts } = state;
  if (attempt === null) return state;
  const outcome = end.kind === 'done' ? end.result.kind : 'interrupted';
  const isStopped = outcome === 'stopped' && interrupts.length > 0;
  const stopped = isStopped ? attempt.number : null;
  return {
    ...state,
    attempt: null,
    interrupts: [],
    stopped,
    all: all.map((one) => {
      if (one.text === '' && interrupts.includes(one.id)) return stopDone(one, at);
      if (one.id === attempt.carries && one.state === 'sent')
        return outcome === 'completed' ? sentOnly(one, attempt) : waiting(one);
      return waiting(one);
    }),
  };
}

function sentOnly(message: MessageView, { isWatched }: RunningAttempt): MessageView {
  return shortened({ ...message, why: isWatched ? NOT_SEEN : NOT_WATCHED });
}

/** It has no text: the end of the turn was all that it asked for. */
function stopDone(message: MessageView, at: number): MessageView {
  return { ...message, state: 'sent', why: 'it has no text, and the turn is over', sentAt: at };
}

function waiting(message: MessageView): MessageView {
  if (isDone(message)) return message;
  return { ...message, state: 'queued', why: null, sentAt: null };
}
