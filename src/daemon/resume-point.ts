import type { StoredEvent } from '../protocol/event.ts';

/**
 * Where a run that ended badly can be taken up again: just before the fact that decided its end —
 * the user's stop, or else how its last command ended. Undefined: there is nothing to go back to.
 */
export function resumePoint(history: readonly StoredEvent[]): number | undefined {
  const stop = history.find(
    (event) =>
      event.type === 'signal.received' && ['stop', 'kill'].includes(event.payload.signal.kind),
  );
  const decisive = stop ?? history.findLast((event) => event.type === 'command.ended');
  return decisive === undefined || decisive.seq < 2 ? undefined : decisive.seq - 1;
}
