/** Sends a person's decision about a gang to its other members. */
import type { RunId } from '../../base/ids.ts';
import type { Performer } from '../../engine/performer.ts';
import type { MessageDeliveryPorts } from './deliver-messages.ts';
import { deliver } from './deliver-messages.ts';
import { broadcastSignal } from '../../agents/broadcast.ts';

export type BroadcastPorts = MessageDeliveryPorts & {
  /** The other members of its gang that have not ended. */
  readonly siblingsOf: (run: RunId) => readonly RunId[];
};

export function broadcastPerformer(ports: BroadcastPorts): Performer<'broadcast'> {
  return {
    command: 'broadcast',
    perform: async ({ run, input }, { cancelSignal }) => {
      const signal = broadcastSignal(input, run);
      let sent = 0;
      for (const sibling of ports.siblingsOf(run))
        if ((await deliver(ports, sibling, signal, cancelSignal)) === undefined) sent += 1;
      return { sent };
    },
  };
}
