import { randomFillSync } from 'node:crypto';
import type { Random } from '../../base/random.ts';

/** A call to the kernel costs more than a number, so one call fetches many. */
const words = new Uint32Array(256);
let used = words.length;

/** Unpredictable random numbers: 53 bits, as many as a fraction can hold. */
export const systemRandom: Random = () => {
  if (used === words.length) {
    randomFillSync(words);
    used = 0;
  }
  const [high = 0, low = 0] = words.subarray(used, used + 2);
  used += 2;
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
};
