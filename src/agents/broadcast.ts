/** A person's decision about a gang holds for all members: the input of the command `broadcast`. */
import type { Signal } from '../protocol/signal.ts';
import type { Broadcast } from '../protocol/commands.ts';

/** The signal for the other members. `by` is the run of the agent that asked. */
export function broadcastSignal({ answer, of }: Broadcast, by: string): Signal {
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
