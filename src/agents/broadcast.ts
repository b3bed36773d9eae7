/** A person's decision about a gang holds for all members: the input of the command `spread`. */
import type { Signal } from '../protocol/event.ts';

/** The answer to a question about a gang, for the members that were not asked. */
export type Broadcast = {
  readonly answer: 'restart-all' | 'stop-all';
  /** The key of the question, so that a member that receives it twice counts it once. */
  readonly of: string;
};

export type BroadcastInput = { readonly told: number };

/** The signal for the other members. `by` is the run of the agent that asked. */
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
        because:
          'Several agents of its supervisor failed together, and a person stopped all of them.',
      };
  }
}
