/** Decides what a disk count of a sandbox means, and when it has to be repeated with the sandbox paused. */

export type DiskCount = {
  readonly bytes: number;
  readonly uncounted: string | null;
  readonly changed: boolean;
  /** Which processes inside were paused during the count. */
  readonly held: 'none' | 'some' | 'all';
};

/** The doubt that earlier counts leave. */
export type DiskDoubt = {
  /** Consecutive counts during which something changed. */
  readonly changedInRow: number;
  /** How often in a row the processes could not be paused and something changed. */
  readonly escapedInRow: number;
};

export type DiskVerdict =
  | { readonly kind: 'within'; readonly doubt: DiskDoubt }
  | { readonly kind: 'hold'; readonly doubt: DiskDoubt }
  | { readonly kind: 'over' };

export const NO_DOUBT: DiskDoubt = { changedInRow: 0, escapedInRow: 0 };

/**
 * An honest agent writes too, so one count with a change means little. The size of such a count is ignored, because
 * it does not show how much it missed.
 */
const CHANGED_IN_ROW_MAX = 3;
/**
 * A process that cannot be paused may be waiting for a slow disk. One that can never be paused would escape the
 * count.
 */
const ESCAPED_IN_ROW_MAX = 3;

export function decideDisk(count: DiskCount, bytesMax: number, doubt: DiskDoubt): DiskVerdict {
  // What cannot be counted may be of any size.
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
