/** Decides what a supervisor does when a child has exited: pure, from the specs alone. */
import type { ChildSpec } from './child.ts';
import { restartOf } from './child.ts';
import type { Exit } from './exit.ts';
import { isNormalExit } from './exit.ts';
import type { Strategy } from './restart-strategy.ts';
import { shouldRestart } from './restart-strategy.ts';
import type { AutoShutdown, ChildStatus } from './supervisor-spec.ts';

export type ExitedChild = { readonly spec: ChildSpec; readonly standing: ChildStatus };

export type RestartDecision = 'restart' | 'revert' | 'leave' | 'shut-down';

export function afterExit(
  strategy: Strategy,
  autoShutdown: AutoShutdown,
  ended: ChildSpec,
  exit: Exit,
  members: Iterable<ExitedChild>,
): RestartDecision {
  if (strategy === 'revert') {
    if (!isNormalExit(exit)) return 'revert';
  } else if (shouldRestart(restartOf(ended), exit)) return 'restart';
  return endsAll(autoShutdown, ended, members) ? 'shut-down' : 'leave';
}

/** Whether the supervisor ends because of a child that exited and is not restarted. */
export function endsAll(
  autoShutdown: AutoShutdown,
  ended: ChildSpec,
  members: Iterable<ExitedChild>,
): boolean {
  if (ended.significant !== true) return false;
  switch (autoShutdown) {
    case 'never':
      return false;
    case 'any-significant':
      return true;
    case 'all-significant':
      for (const { spec, standing } of members) {
        if (spec !== ended && spec.significant === true && standing !== 'absent') return false;
      }
      return true;
  }
}
