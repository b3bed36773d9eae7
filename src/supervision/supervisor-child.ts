/** A supervisor as the child of another: so failure climbs, one supervisor at a time. */
import { isRefusal } from '../base/errors.ts';
import type { ChildSpec, StartResult } from './child.ts';
import type { Supervisor } from './supervisor.ts';

/**
 * `start` makes a fresh supervisor each time, of whichever kind, and hands it the signal; it may keep
 * it to talk to it. When that one gives up it ends as if told to, with `shutdown`: a permanent child is
 * restarted and counts, a transient one stays down. By default it is waited for as long as its
 * children need.
 */
export function supervisorChild(
  child: Omit<ChildSpec, 'start' | 'type'>,
  start: (signal: AbortSignal) => Promise<Pick<Supervisor, 'ended' | 'stop' | 'kill'>>,
): ChildSpec {
  return {
    ...child,
    type: 'supervisor',
    start: async (signal): Promise<StartResult> => {
      try {
        const supervisor = await start(signal);
        return {
          kind: 'started',
          child: {
            exit: supervisor.ended.then(({ exit }) => exit),
            ask: () => void supervisor.stop(),
            kill: () => void supervisor.kill(),
          },
        };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return { kind: 'failed', reason: error.message }; // its parent decides what that means
      }
    },
  };
}
