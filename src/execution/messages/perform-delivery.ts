/** Performs the delivery of a message to a running attempt. */
import type { Clock } from '../../base/clock.ts';
import type { Performer } from '../../engine/performer.ts';
import { markMessage, messageMark } from '../../messages/message-text.ts';
import type { DeliverMessageResult } from '../../protocol/run-message.ts';
import type { LiveAttempts } from './message-channel.ts';

const OVER: DeliverMessageResult = { kind: 'undelivered', why: 'the attempt ended first' };

export function deliveryPerformer({
  clock,
  liveAttempts,
}: {
  readonly clock: Clock;
  readonly liveAttempts: LiveAttempts;
}): Performer<'deliver-message'> {
  return {
    command: 'deliver-message',
    perform: async ({ run, input }, context) => {
      const { message, attempt } = input;
      const live = liveAttempts.find(run, attempt);
      if (live === undefined) return OVER;
      const marked = {
        id: message.id,
        mark: messageMark(run, message.id),
        text: markMessage(run, message, clock.now()),
      };
      const signal = AbortSignal.any([live.signal, context.cancelSignal]);
      return live.channel.deliver(marked, () => context.note({ kind: 'sent' }), signal);
    },
  };
}
