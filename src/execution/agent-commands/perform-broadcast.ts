/** Carries what a person has decided about a gang to all the others of it. */
import type { RunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { Performer } from '../../engine/performer.ts';
import type { MessageDeliveryPorts } from './deliver-messages.ts';
import { deliver } from './deliver-messages.ts';
import type { Broadcast, BroadcastInput } from '../../agents/broadcast.ts';
import { broadcastText } from '../../agents/broadcast.ts';

export type BroadcastPorts = MessageDeliveryPorts & {
  /** The others of its gang that are not over. */
  readonly siblingsOf: (run: RunId) => readonly RunId[];
};

export function broadcastPerformer(ports: BroadcastPorts): Performer {
  return {
    command: 'spread',
    perform: async ({ run, input }, { asked }): Promise<Record<string, Json>> => {
      const words = broadcastText(input as unknown as Broadcast, run);
      let told = 0;
      for (const sibling of ports.siblingsOf(run))
        if ((await deliver(ports, sibling, words, asked)) === undefined) told += 1;
      const spread: BroadcastInput = { told };
      return { ...spread };
    },
  };
}
