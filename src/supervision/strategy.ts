/** OTP's rules on who comes back and who goes down with whom, as functions of words. */

export type Strategy = 'one-for-one' | 'one-for-all' | 'rest-for-one';

/** Whether a child that ended is to be started again: always, after a failure only, or never. */
export type Restart = 'permanent' | 'transient' | 'temporary';

/** `normal` and `shutdown` are ends that were meant to be; all others are `failed`. */
export type ChildEnd = 'normal' | 'shutdown' | 'failed';

export function comesBack(restart: Restart, end: ChildEnd): boolean {
  switch (restart) {
    case 'permanent':
      return true;
    case 'transient':
      return end === 'failed';
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
