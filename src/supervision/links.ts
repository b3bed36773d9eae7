/** Two ways to react to the exit of another child. Supervisors use the second. */
import type { ChildHandle } from './child.ts';
import type { Exit } from './exit.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Links two children: when one exits in any way but `normal`, the other is killed. Returns a function that unlinks. */
export function link(one: ChildHandle, other: ChildHandle): () => void {
  let isLinked = true;
  const killAfterExit = async (from: ChildHandle, to: ChildHandle): Promise<void> => {
    const { kind } = await from.exit;
    if (isLinked && kind !== 'normal') to.kill();
    isLinked = false; // a child that has exited is not linked any more
  };
  void killAfterExit(one, other);
  void killAfterExit(other, one);
  return () => {
    isLinked = false;
  };
}

/** Resolves with the exit of the child, or with undefined once the signal aborts. Affects neither. */
export function monitor(child: ChildHandle, signal: AbortSignal): Promise<Exit | undefined> {
  return unlessAborted(child.exit, signal);
}
