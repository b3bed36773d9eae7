/** OTP's restart rules: which child is restarted, and which siblings restart with it. */
import type { Restart } from './child.ts';
import type { Exit } from './exit.ts';
import { isNormalExit } from './exit.ts';

type RestartStrategy = 'one-for-one' | 'one-for-all' | 'rest-for-one';

/**
 * `dynamic` is one-for-one for children that come and go: none at the start, forgotten when down,
 * stopped all at once. `revert` restarts no child: it undoes what a failed child did, and forgets it.
 */
export type Strategy = RestartStrategy | 'dynamic' | 'revert';

export function shouldRestart(restart: Restart, exit: Exit): boolean {
  switch (restart) {
    case 'permanent':
      return true;
    case 'transient':
      return !isNormalExit(exit);
    case 'temporary':
      return false;
  }
}

/**
 * The children that restart with `exited`, in start order: they stop in reverse and start in this order.
 * `exited` must be one of them.
 */
export function restartedTogether<Child>(
  strategy: Strategy,
  inStartOrder: Iterable<Child>,
  exited: Child,
): readonly Child[] {
  switch (strategy) {
    case 'one-for-one':
    case 'dynamic':
    case 'revert':
      return [exited];
    case 'one-for-all':
      return [...inStartOrder];
    case 'rest-for-one': {
      const children = [...inStartOrder];
      return children.slice(children.indexOf(exited));
    }
  }
}
