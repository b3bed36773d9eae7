import { randomFillSync } from 'node:crypto';
import type { Luck } from '../base/luck.ts';

/** Chance that nobody can foresee: 53 random bits, as many as a fraction can hold. */
export const systemLuck: Luck = () => {
  const [high = 0, low = 0] = randomFillSync(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
};
