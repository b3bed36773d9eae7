/** A supervisor as the child of another, so that failures climb one supervisor at a time. */
import { isRefusal } from '../base/errors.ts';
import type { ChildSpec, StartResult } from './child.ts';
import type { Supervisor } from './supervisor.ts';

/**
 * `start` makes a new supervisor each time and passes it the signal. A supervisor that gives up exits
 * with `shutdown`: a permanent child is restarted and counted, a transient one stays down. By default
 * the parent waits for it without a bound.
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
        return { kind: 'failed', reason: error.message }; // the parent decides
      }
    },
  };
}
