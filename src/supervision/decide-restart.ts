/** Decides what a supervisor does when a child has exited: pure, from the specs alone. */
import type { ChildSpec } from './child.ts';
import { restartPolicy } from './child.ts';
import type { Exit } from './exit.ts';
import { isNormalExit } from './exit.ts';
import type { Strategy } from './restart-strategy.ts';
import { shouldRestart } from './restart-strategy.ts';
import type { AutoShutdown, ChildStatus } from './supervisor-spec.ts';

export type ExitedChild = { readonly spec: ChildSpec; readonly status: ChildStatus };

export type RestartDecision = 'restart' | 'revert' | 'leave' | 'shut-down';

export function decideAfterExit(
  strategy: Strategy,
  autoShutdown: AutoShutdown,
  exited: ChildSpec,
  exit: Exit,
  members: Iterable<ExitedChild>,
): RestartDecision {
  if (strategy === 'revert') {
    if (!isNormalExit(exit)) return 'revert';
  } else if (shouldRestart(restartPolicy(exited), exit)) return 'restart';
  return endsSupervisor(autoShutdown, exited, members) ? 'shut-down' : 'leave';
}

/** Whether the supervisor ends because of a child that exited and is not restarted. */
export function endsSupervisor(
  autoShutdown: AutoShutdown,
  exited: ChildSpec,
  members: Iterable<ExitedChild>,
): boolean {
  if (exited.significant !== true) return false;
  switch (autoShutdown) {
    case 'never':
      return false;
    case 'any-significant':
      return true;
    case 'all-significant':
      for (const { spec, status } of members) {
        if (spec !== exited && spec.significant === true && status !== 'absent') return false;
      }
      return true;
  }
}
