/**
 * The one injector: decides which message goes into which turn. A turn gets one message at most, whatever wrote it, and
 * the most severe goes first.
 */
import type { DeliverMessageInput, MessageOrigin, SentMessage } from '../protocol/run-message.ts';
import type { MessagesState, MessageView } from '../protocol/views/message-view.ts';
import { isDone } from '../protocol/views/message-view.ts';

const SEVERITY: Readonly<Record<MessageOrigin, number>> = {
  person: 6,
  violation: 5,
  feedback: 4,
  steering: 3,
};

/** An interrupt comes before everything else. */
function rank({ verb, severity, origin }: MessageView): number {
  return (verb === 'interrupt' ? 100 : 0) + (severity ?? SEVERITY[origin]);
}

/** Most severe first, then oldest first. */
function inOrder(messages: readonly MessageView[]): readonly MessageView[] {
  return messages.toSorted((one, other) => rank(other) - rank(one) || one.at - other.at);
}

function waitingMessages({ all, delivery }: MessagesState): readonly MessageView[] {
  return inOrder(
    all.filter(
      (one) => !isDone(one) && one.state !== 'sent' && one.id !== delivery?.id && one.text !== '',
    ),
  );
}

/** The message that the prompt of the next attempt ends with. */
export function promptMessage(state: MessagesState): MessageView | undefined {
  return waitingMessages(state)[0];
}

/**
 * The message for which a run continues although its agent says that it is done. Only a person's words are worth
 * another turn: what a detector noticed is moot by then.
 */
export function continuingMessage(state: MessagesState): MessageView | undefined {
  return waitingMessages(state).find(({ origin }) => origin === 'person');
}

/** Whether the turn that runs is to be stopped for a message. */
export function stopsTurn({ interrupts }: MessagesState): boolean {
  return interrupts.length > 0;
}

/**
 * The message to deliver while the agent works. None while another one is on its way, because both could reach the
 * same turn. A message that one attempt did not take is not offered to it again.
 */
export function nextDelivery(state: MessagesState): DeliverMessageInput | undefined {
  const { attempt, all, delivery } = state;
  if (attempt === null || attempt.channel === null || delivery !== null) return undefined;
  if (stopsTurn(state)) return undefined;
  if (all.some((one) => one.state === 'sent' && !isDone(one))) return undefined;
  const next = waitingMessages(state).find(
    (one) => one.verb !== 'queue' && one.attempt !== attempt.number,
  );
  if (next === undefined) return undefined;
  return { message: sentMessage(next), attempt: attempt.key, channel: attempt.channel };
}

export function sentMessage({ id, origin, text, at }: MessageView): SentMessage {
  return { id, origin, text, at };
}
