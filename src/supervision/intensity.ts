/**
 * Restart intensity: more than `restartsMax` restarts within `withinMs` and a supervisor gives up.
 * A restart exactly `withinMs` ago still counts, and a maximum of zero allows none, as in OTP.
 */
import type { Instant } from '../base/clock.ts';

export type Intensity = { readonly restartsMax: number; readonly withinMs: number };

/**
 * The newest restarts, oldest first, never more than `restartsMax`: whether one more is allowed
 * depends on nothing older. A plain value, so it can be stored and folded from facts.
 */
export type Restarts = readonly Instant[];

/**
 * The restarts to remember once one more happens now; undefined when that is one too many. Looks
 * at one instant only: the restart that is `restartsMax` back must have left the window. So the
 * cost depends neither on the window nor on how often it is asked. Time must not go back.
 */
export function admitRestart(
  recent: Restarts,
  { restartsMax, withinMs }: Intensity,
  now: Instant,
): Restarts | undefined {
  if (restartsMax < 1) return undefined;
  const decisive = recent.at(-restartsMax);
  if (decisive !== undefined && now - decisive <= withinMs) return undefined;
  return [...recent.slice(Math.max(0, recent.length - restartsMax + 1)), now];
}
