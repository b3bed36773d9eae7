/** A signal in the form that scripts read. */
import type { Signal } from '../protocol/signal.ts';
import type { EventData } from './public-event.ts';

type SignalData = Extract<EventData, { type: 'signal.received' }>['data'];

export function signalData(signal: Signal): SignalData {
  const nothing = { answer: null, approver: null, tree: null, channel: null, edited_tree: null };
  const untold = { message_id: null, verb: null, origin: null };
  const none = { signal: signal.kind, ...nothing, ...untold };
  if (signal.kind === 'tell') {
    const { id, verb, origin } = signal.message;
    return { ...none, message_id: id, verb, origin };
  }
  if (signal.kind !== 'answer') return none;
  const { answer, decision } = signal;
  if (decision === undefined) return { ...none, answer, channel: signal.channel ?? null };
  const { by, work, channel, edited } = decision;
  const changed = edited?.content ?? null;
  return { ...none, answer, approver: by, tree: work, channel, edited_tree: changed };
}
