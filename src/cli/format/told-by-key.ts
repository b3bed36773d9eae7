/** What a person who has just pressed Ctrl-C knows: the command said it at once, and the outcome of the run says it again. */
import type { RunEvent } from '../../protocol/event.ts';

/** Whether the event only repeats that the person at this screen stops the run. That an agent is asked to exit is news. */
export function isToldByKey(event: RunEvent): boolean {
  switch (event.type) {
    case 'signal.received':
      return event.payload.signal.kind === 'stop' || event.payload.signal.kind === 'kill';
    case 'command.cancelled':
      return event.payload.key.startsWith('ask-');
    case 'command.ended':
      return event.payload.command === 'ask';
    case 'run.submitted':
    case 'run.forked':
    case 'run.ended':
    case 'command.begun':
    case 'command.noted':
      return false;
  }
}
