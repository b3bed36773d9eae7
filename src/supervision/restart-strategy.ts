/** OTP's rules on who comes back and who goes down with whom, as functions of words. */
import type { Restart } from './child.ts';
import type { Exit } from './exit.ts';
import { isNormalExit } from './exit.ts';

type RestartStrategy = 'one-for-one' | 'one-for-all' | 'rest-for-one';

/**
 * `dynamic` is one-for-one for children that come and go: none at the start, forgotten when down,
 * stopped all at once. `revert` restarts nobody: what a failed child did is undone, and it is
 * forgotten.
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
 * The children to restart when `ended` comes back, in start order: they stop in reverse and start
 * in this order. `ended` must be one of them. Looks at the others only where they matter.
 */
export function restartedTogether<Child>(
  strategy: Strategy,
  inStartOrder: Iterable<Child>,
  ended: Child,
): readonly Child[] {
  switch (strategy) {
    case 'one-for-one':
    case 'dynamic':
    case 'revert':
      return [ended];
    case 'one-for-all':
      return [...inStartOrder];
    case 'rest-for-one': {
      const children = [...inStartOrder];
      return children.slice(children.indexOf(ended));
    }
  }
}
