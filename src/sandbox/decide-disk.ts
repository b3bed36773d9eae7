/** What a count of a sandbox's disk use says, and when it has to be done again with the sandbox held still. */

export type DiskCount = {
  readonly bytes: number;
  readonly uncounted: string | null;
  readonly changed: boolean;
  /** Which of the processes inside were held still meanwhile. */
  readonly held: 'none' | 'some' | 'all';
};

/** What the counts before say of the next one. */
export type DiskDoubt = {
  /** Counts in a row that were made while something changed. */
  readonly changedInRow: number;
  /** How often in a row the processes could not be held still, and something changed all the same. */
  readonly escapedInRow: number;
};

export type DiskVerdict =
  | { readonly kind: 'within'; readonly doubt: DiskDoubt }
  | { readonly kind: 'hold'; readonly doubt: DiskDoubt }
  | { readonly kind: 'over' };

export const NO_DOUBT: DiskDoubt = { changedInRow: 0, escapedInRow: 0 };

/**
 * An honest agent writes too, so one count with a change in it means little. How much such a count shows
 * says nothing about how much it hides, so its size plays no part.
 */
const CHANGED_IN_ROW_MAX = 3;
/** One that can't be held still may wait for a slow disk. One that never can outruns us. */
const ESCAPED_IN_ROW_MAX = 3;

export function decideDisk(count: DiskCount, bytesMax: number, doubt: DiskDoubt): DiskVerdict {
  // What can't be counted may be anything.
  if (count.bytes > bytesMax || count.uncounted !== null) return { kind: 'over' };
  if (!count.changed || count.held === 'all') return { kind: 'within', doubt: NO_DOUBT };
  if (count.held === 'some') {
    const escapedInRow = doubt.escapedInRow + 1;
    if (escapedInRow >= ESCAPED_IN_ROW_MAX) return { kind: 'over' };
    return { kind: 'within', doubt: { changedInRow: 0, escapedInRow } };
  }
  const changedInRow = doubt.changedInRow + 1;
  const kind = changedInRow >= CHANGED_IN_ROW_MAX ? 'hold' : 'within';
  return { kind, doubt: { ...doubt, changedInRow } };
}
