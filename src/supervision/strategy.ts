/** OTP's rules on who comes back and who goes down with whom, as functions of words. */
import type { Restart } from './child.ts';
import type { Exit } from './exit.ts';
import { wasMeant } from './exit.ts';

export type Strategy = 'one-for-one' | 'one-for-all' | 'rest-for-one';

export function comesBack(restart: Restart, exit: Exit): boolean {
  switch (restart) {
    case 'permanent':
      return true;
    case 'transient':
      return !wasMeant(exit);
    case 'temporary':
      return false;
  }
}

/**
 * The children to restart when `ended` comes back, in start order: they stop in reverse and start
 * in this order. `ended` must be one of them.
 */
export function restartedWith<Child>(
  strategy: Strategy,
  inStartOrder: readonly Child[],
  ended: Child,
): readonly Child[] {
  const place = inStartOrder.indexOf(ended);
  if (place === -1) throw new RangeError('the child that ended is not among the children');
  switch (strategy) {
    case 'one-for-one':
      return [ended];
    case 'one-for-all':
      return inStartOrder;
    case 'rest-for-one':
      return inStartOrder.slice(place);
  }
}
