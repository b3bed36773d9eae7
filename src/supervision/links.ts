/** Two ways to be concerned by another's end. Supervisors use the second. */
import type { ChildHandle } from './child.ts';
import type { Exit } from './exit.ts';
import { unlessAborted } from './unless-aborted.ts';

/**
 * Mutual death: when either ends in any way but `normal`, the other is killed. Returns the way to
 * undo it.
 */
export function link(one: ChildHandle, other: ChildHandle): () => void {
  let isBound = true;
  const bind = async (from: ChildHandle, to: ChildHandle): Promise<void> => {
    const { kind } = await from.exit;
    if (isBound && kind !== 'normal') to.kill();
    isBound = false; // the one that is gone concerns nobody any more
  };
  void bind(one, other);
  void bind(other, one);
  return () => {
    isBound = false;
  };
}

/** One-way notice: how it ended, or undefined once the watcher has lost interest. Harms neither. */
export function monitor(child: ChildHandle, signal: AbortSignal): Promise<Exit | undefined> {
  return unlessAborted(child.exit, signal);
}
