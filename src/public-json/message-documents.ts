/** Messages to the agents of runs, as scripts read them. */
import { z } from 'zod';
import { MESSAGE_CHANNELS, MESSAGE_ORIGINS, MESSAGE_VERBS } from '../protocol/run-message.ts';
import type { MessageView } from '../protocol/views/message-view.ts';
import { MESSAGE_STATES } from '../protocol/views/message-view.ts';
import { documentSchema, field, runId, time, toIso, toIsoOrNull } from './document.ts';

const Message = z.strictObject({
  message_id: z.string(),
  verb: field(
    z.enum(MESSAGE_VERBS),
    'steer: at the next boundary of the turn. queue: after the turn. interrupt: the turn is stopped for it.',
  ),
  origin: field(z.enum(MESSAGE_ORIGINS), 'What wrote it.'),
  text: field(z.string(), 'The beginning of it, once it is delivered.'),
  state: field(
    z.enum(MESSAGE_STATES),
    'queued: it waits. sent: the agent has it. seen: a model call that had it was answered. parked: it can not be delivered now.',
  ),
  reason: field(
    z.string().nullable(),
    'Why it is parked, or why no receipt follows. Null: the state says it all.',
  ),
  channel: field(z.enum(MESSAGE_CHANNELS).nullable(), 'How it was sent.'),
  attempt: field(z.int().nullable(), 'The attempt that it was sent to last.'),
  queued_at: time,
  sent_at: time.nullable(),
  seen_at: time.nullable(),
  model_call: field(z.int().nullable(), 'The answered model call of the attempt that had it.'),
  times_in_call: field(z.int().nullable(), 'How often that model call has it: once.'),
});

export const MessagesDocument = documentSchema(
  'messages',
  'Messages to the agent of a run, oldest first.',
  { run_id: runId, messages: z.array(Message) },
);

export function messagesDocument(
  run: string,
  messages: readonly MessageView[],
): z.infer<typeof MessagesDocument> {
  return {
    schema: 'supervisor.messages/1',
    run_id: run,
    messages: messages.map((one) => ({
      message_id: one.id,
      verb: one.verb,
      origin: one.origin,
      text: one.text,
      state: one.state,
      reason: one.why,
      channel: one.channel,
      attempt: one.attempt,
      queued_at: toIso(one.at),
      sent_at: toIsoOrNull(one.sentAt),
      seen_at: toIsoOrNull(one.seenAt),
      model_call: one.request,
      times_in_call: one.times,
    })),
  };
}
