import type { RunEvent } from '../protocol/event.ts';

/**
 * `set-cooldown` only records an earlier decision, so it is not a point from which a run can be resumed.
 */
const RECORD_ONLY = 'set-cooldown';

/**
 * The fact after which a run that ended badly can be resumed. Its end was decided by the user's
 * first stop, or else by how its last command ended. The run continues from before the commands
 * that were open at that time, so they start again. A gate starts again together with the attempt
 * that it checks. A child run stays open at that point: it continues, or its outcome is reused. If
 * the run cancelled its other children after one ended, it continues from before that end.
 * Undefined if there is no decision that could be undone.
 */
export async function resumePoint(
  history: AsyncIterable<RunEvent> | Iterable<RunEvent>,
): Promise<number | undefined> {
  const open = new Map<string, number>();
  const recordOnly = new Set<string>();
  const children = new Set<string>();
  let point: number | undefined;
  let hasCancelledChild = false;
  let attempt = Infinity;
  for await (const event of history) {
    if (event.type === 'command.begun') {
      const { key, command } = event.payload;
      hasCancelledChild = false;
      if (command === 'finalize') return point ?? event.seq - 1;
      if (command === 'attempt') attempt = event.seq;
      if (command === RECORD_ONLY) recordOnly.add(key);
      else if (command === 'run') children.add(key);
      else open.set(key, command === 'gate' ? Math.min(attempt, event.seq) : event.seq);
    }
    if (event.type === 'command.noted' && event.payload.command === 'run')
      children.add(event.payload.key); // a fork continues a child of the original
    // If only such a command is open when a stop arrives, everything was decided before.
    if (isStop(event) && recordOnly.size > 0) return point;
    if (isStop(event)) return Math.min(event.seq, ...open.values()) - 1;
    if (event.type === 'command.cancelled' && children.has(event.payload.key))
      hasCancelledChild = true;
    if (hasCancelledChild) continue;
    if (event.type === 'command.ended' && !recordOnly.delete(event.payload.key)) {
      point = Math.min(event.seq, ...open.values()) - 1;
      open.delete(event.payload.key);
    }
  }
  return point;
}

function isStop(event: RunEvent): boolean {
  if (event.type !== 'signal.received') return false;
  return event.payload.signal.kind === 'stop' || event.payload.signal.kind === 'kill';
}
