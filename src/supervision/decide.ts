/** What a supervisor decides when a child has ended: pure, from the specs and the words alone. */
import type { ChildSpec } from './child.ts';
import { restartOf } from './child.ts';
import type { Exit } from './exit.ts';
import { wasMeant } from './exit.ts';
import type { Strategy } from './strategy.ts';
import { comesBack } from './strategy.ts';
import type { AutoShutdown, Standing } from './supervisor-spec.ts';

export type Member = { readonly spec: ChildSpec; readonly standing: Standing };

export type Decision = 'restart' | 'revert' | 'leave' | 'shut-down';

export function afterExit(
  strategy: Strategy,
  autoShutdown: AutoShutdown,
  ended: ChildSpec,
  exit: Exit,
  members: Iterable<Member>,
): Decision {
  if (strategy === 'revert') {
    if (!wasMeant(exit)) return 'revert';
  } else if (comesBack(restartOf(ended), exit)) return 'restart';
  return endsAll(autoShutdown, ended, members) ? 'shut-down' : 'leave';
}

/** Whether the supervisor ends with a child that ended and does not come back. */
export function endsAll(
  autoShutdown: AutoShutdown,
  ended: ChildSpec,
  members: Iterable<Member>,
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
