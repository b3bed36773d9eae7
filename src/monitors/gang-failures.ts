/** Detects that several children of one supervisor fail together: then the whole gang is on a wrong path. */

export type GangPolicy = {
  /** The number of different children that must fail within the window. */
  readonly failed: number;
  readonly withinMs: number;
};

export const DEFAULT_GANG: GangPolicy = { failed: 3, withinMs: 300_000 };

/** Times are elapsed times. */
export type GangFailures = {
  /** The last failure of each child, within the window. */
  readonly failures: Readonly<Record<string, number>>;
  /** When it was reported: once in a window, because the reaction looks like failures too. */
  readonly saidMs: number | null;
};

export const NO_GANG: GangFailures = { failures: {}, saidMs: null };

/** `failed` is how many have failed together; 0: nothing to report. */
export function foldGang(
  { failures, saidMs }: GangFailures,
  child: string,
  nowMs: number,
  { failed, withinMs }: GangPolicy,
): { readonly gang: GangFailures; readonly failed: number } {
  if (saidMs !== null && nowMs - saidMs < withinMs)
    return { gang: { failures: {}, saidMs }, failed: 0 };
  const recent = Object.entries(failures).filter(([, thenMs]) => nowMs - thenMs < withinMs);
  const all = { ...Object.fromEntries(recent), [child]: nowMs };
  const count = Object.keys(all).length;
  if (count < failed) return { gang: { failures: all, saidMs: null }, failed: 0 };
  return { gang: { failures: {}, saidMs: nowMs }, failed: count };
}
