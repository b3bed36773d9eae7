/** Carries what a person has decided about a gang to all the others of it. */
import type { RunId } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import type { Performer } from '../engine/performer.ts';
import type { DeliverPorts } from './deliver.ts';
import { deliver } from './deliver.ts';
import type { ForAll, Spread } from './spread.ts';
import { wordsFor } from './spread.ts';

export type SpreadPorts = DeliverPorts & {
  /** The others of its gang that are not over. */
  readonly siblingsOf: (run: RunId) => readonly RunId[];
};

export function spreadPerformer(ports: SpreadPorts): Performer {
  return {
    command: 'spread',
    perform: async ({ run, input }, { asked }): Promise<Record<string, Json>> => {
      const words = wordsFor(input as unknown as ForAll, run);
      let told = 0;
      for (const sibling of ports.siblingsOf(run))
        if ((await deliver(ports, sibling, words, asked)) === undefined) told += 1;
      const spread: Spread = { told };
      return { ...spread };
    },
  };
}
