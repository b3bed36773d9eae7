/** How the messages of a run change what its loop does next. */
import { commandKey } from '../base/ids.ts';
import type { Move } from '../engine/program.ts';
import { continuingMessage, nextDelivery, promptMessage } from '../messages/choose-message.ts';
import type { MessagesState, MessageView } from '../protocol/views/message-view.ts';
import { NO_MESSAGES } from '../protocol/views/message-view.ts';
import type { AttemptsState } from './attempts-state.ts';
import { isSkipped } from './choice/agent-history.ts';
import { lastAttempt } from './attempts-state.ts';
import { isHeldByPerson } from './taken-over.ts';

export function messagesOf({ messages = NO_MESSAGES }: AttemptsState): MessagesState {
  return messages;
}

/**
 * The message that the next attempt is for. The turn was stopped for it, or the agent says that it is done: then the
 * agent reads it before any gate runs, because gates judge the work when nothing more is to be done.
 */
export function messageToContinueWith(state: AttemptsState): MessageView | undefined {
  const last = lastAttempt(state);
  if (last === undefined || state.closing !== null || isHeldByPerson(state)) return undefined;
  const messages = messagesOf(state);
  if (last.kind === 'stopped') {
    const isForMessage = messages.stopped === last.number && !isSkipped(state, last.identity);
    return isForMessage ? promptMessage(messages) : undefined;
  }
  const isDone = last.kind === 'completed' && last.redGate === null;
  return isDone ? continuingMessage(messages) : undefined;
}

/** A message reaches a running agent beside its attempt. Nothing is delivered to an agent that is being stopped. */
export function deliveryMoves(state: AttemptsState): readonly Move[] {
  const { open, stop } = state;
  if (open?.command !== 'attempt' || stop !== null || open.isSkipped === true) return [];
  const messages = messagesOf(state);
  const input = nextDelivery(messages);
  if (input === undefined) return [];
  const key = commandKey(`message-${input.message.id}-${messages.attempt?.number ?? 0}`);
  return [{ kind: 'perform', key, command: 'deliver-message', input }];
}
