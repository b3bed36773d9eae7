/** What a person decides about a gang holds for all of it: the words of the command `spread`. */
import type { Signal } from '../protocol/event.ts';

/** The answer to a question about a gang, for those that were not asked themselves. */
export type Broadcast = {
  readonly answer: 'restart-all' | 'stop-all';
  /** The key of the question: whoever hears of it twice has heard of it once. */
  readonly of: string;
};

export type BroadcastInput = { readonly told: number };

/** `by` is the run of the agent that asked. */
export function broadcastText({ answer, of }: Broadcast, by: string): Signal {
  switch (answer) {
    case 'restart-all':
      return {
        kind: 'trigger',
        trigger: { kind: 'gang', failed: 0, decided: true, of: `${by} ${of}` },
      };
    case 'stop-all':
      return {
        kind: 'dismiss',
        because: 'Several below its supervisor failed together, and a person ended all of them.',
      };
  }
}
