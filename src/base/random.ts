/** Randomness as a port: returns a number in [0, 1). Decisions take it as a parameter. */
export type Random = () => number;

/** A repeatable random stream: the same seed gives the same numbers (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A whole number in [low, high]. */
export function randomInt(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1));
}

export function randomItem<Item>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[randomInt(random, 0, items.length - 1)] ?? items[0];
}
