/** Chance as a port: a number in [0, 1). Decisions are given one; they never draw for themselves. */
export type Random = () => number;

/** A repeatable stream of luck: the same seed gives the same story (mulberry32). */
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
export function randomInt(luck: Random, low: number, high: number): number {
  return low + Math.floor(luck() * (high - low + 1));
}

export function randomItem<Item>(luck: Random, items: readonly [Item, ...Item[]]): Item {
  return items[randomInt(luck, 0, items.length - 1)] ?? items[0];
}
