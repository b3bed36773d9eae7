import { randomFillSync } from 'node:crypto';
import type { Random } from '../../base/random.ts';

/** Asking the kernel costs more than the number: one question is for many. */
const words = new Uint32Array(256);
let used = words.length;

/** Chance that nobody can foresee: 53 random bits, as many as a fraction can hold. */
export const systemRandom: Random = () => {
  if (used === words.length) {
    randomFillSync(words);
    used = 0;
  }
  const [high = 0, low = 0] = words.subarray(used, used + 2);
  used += 2;
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
};
