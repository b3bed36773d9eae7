/**
 * Long tables of cases that are alike. CI plays a sample, which a printed seed chooses. `npm run test:full`, and a file
 * that is named, play all of them.
 */
const SEED = process.env['TEST_SAMPLE_SEED'] ?? null;

/** Whether the case with this number belongs to the sample: one in so many, at equal distances. */
export function isSampled(number: number, oneIn: number, seed: string | null = SEED): boolean {
  return seed === null || (number + Number(seed)) % oneIn === 0;
}

/** One of these for the row with this number. Other rows, and other seeds, get others. */
export function sampleOf<Item>(
  items: readonly Item[],
  row: number,
  seed: string | null = SEED,
): readonly Item[] {
  return items.filter((_, index) => isSampled(index + row, items.length, seed));
}
