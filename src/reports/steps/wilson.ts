/** The Wilson interval: which shares are plausible if something happened in some of all cases. */

export type Interval = { readonly low: number; readonly high: number };

/** The 97.5 % quantile of the normal distribution: an interval with it misses the true share in 5 of 100 cases. */
const Z_95 = 1.959964;

/**
 * The plausible shares between 0 and 1, at 95 %. Unlike the plain formula it stays honest for few cases, and for none or
 * all of them. Undefined: there are no cases.
 */
export function wilsonInterval(happened: number, cases: number): Interval | undefined {
  if (cases <= 0) return undefined;
  const share = happened / cases;
  const z2 = Z_95 ** 2;
  const middle = share + z2 / (2 * cases);
  const half = Z_95 * Math.sqrt((share * (1 - share)) / cases + z2 / (4 * cases ** 2));
  const scale = 1 + z2 / cases;
  return {
    low: happened === 0 ? 0 : Math.max(0, (middle - half) / scale),
    high: happened === cases ? 1 : Math.min(1, (middle + half) / scale),
  };
}
