/** A supervisor as the child of another: so failure climbs, one supervisor at a time. */
import { isRefusal } from '../base/errors.ts';
import type { ChildSpec, StartResult } from './child.ts';
import type { SupervisorSpec } from './supervisor-spec.ts';
import type { SupervisorPorts } from './supervisor.ts';
import { Supervisor } from './supervisor.ts';

/**
 * A fresh supervisor with every start. When it gives up it ends as told to, with `shutdown`: a
 * permanent one is restarted and counts, a transient one stays down. By default it is waited for as
 * long as its children need.
 */
export function supervisorChild(
  child: Omit<ChildSpec, 'start' | 'type'>,
  spec: SupervisorSpec,
  ports: SupervisorPorts,
): ChildSpec {
  return {
    ...child,
    type: 'supervisor',
    start: async (signal): Promise<StartResult> => {
      try {
        const supervisor = await Supervisor.start(spec, ports, signal);
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
