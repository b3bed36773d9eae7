/** A message to a run, as the journal stores it: who wrote it, when it is to reach the agent, and how it got there. */
import { z } from 'zod';

/** `steer`: at the next boundary of the turn. `queue`: after the turn. `interrupt`: the turn is stopped first. */
export const MESSAGE_VERBS = ['steer', 'queue', 'interrupt'] as const;
export type MessageVerb = (typeof MESSAGE_VERBS)[number];

/** What wrote it: a person, a detector of Supervisor, a rule that the agent broke, or a check of its work. */
export const MESSAGE_ORIGINS = ['person', 'steering', 'violation', 'feedback'] as const;
export type MessageOrigin = (typeof MESSAGE_ORIGINS)[number];

/** How a message reaches the agent: with the prompt of an attempt, through a hook of its CLI, or inserted by the gateway. */
export const MESSAGE_CHANNELS = ['prompt', 'hook', 'gateway'] as const;
export type MessageChannelName = (typeof MESSAGE_CHANNELS)[number];

/** In characters. */
const RUN_MESSAGE_MAX = 8000;
/** How many messages one run takes. */
export const RUN_MESSAGES_MAX = 200;
const SEVERITY_MAX = 9;

export const RunMessage = z.strictObject({
  /** Eight hex digits. A message with the id of an earlier one is the same message. */
  id: z.string().regex(/^[0-9a-f]{8}$/),
  verb: z.enum(MESSAGE_VERBS),
  origin: z.enum(MESSAGE_ORIGINS),
  /** Without control characters. Only an interrupt may have none. */
  text: z.string().max(RUN_MESSAGE_MAX),
  /** The higher one is delivered first. Absent: as usual for its origin. */
  severity: z.int().min(0).max(SEVERITY_MAX).exactOptional(),
});
export type RunMessage = z.infer<typeof RunMessage>;

/** A message as an attempt or a delivery gets it. */
export type SentMessage = Pick<RunMessage, 'id' | 'origin' | 'text'> & {
  /** When it was queued; milliseconds since 1970. */
  readonly at: number;
};

/** Delivers a message to a running attempt. */
export type DeliverMessageInput = {
  readonly message: SentMessage;
  /** The key of the attempt. */
  readonly attempt: string;
  readonly channel: Exclude<MessageChannelName, 'prompt'>;
};

/** It was handed to the channel. */
export type DeliverMessageNote = { readonly kind: 'sent' };

export type DeliverMessageResult =
  /** The provider answered a request of the agent's conversation that had it: which one, and how often. */
  | { readonly kind: 'seen'; readonly request: number; readonly times: number }
  /** The attempt ended first, or the channel failed. The message waits for the next prompt. */
  | { readonly kind: 'undelivered'; readonly why: string };

/** The provider answered a request of the attempt that had the message of the prompt. */
export type MessageSeenNote = {
  readonly kind: 'message-seen';
  readonly message: string;
  readonly request: number;
  readonly times: number;
};

/** The request of a person to send a message. */
export const TellRequest = z.strictObject({
  verb: z.enum(MESSAGE_VERBS),
  /** Without it, an interrupt only stops the turn. */
  text: z.string().max(RUN_MESSAGE_MAX).default(''),
});
export type TellRequest = z.input<typeof TellRequest>;
