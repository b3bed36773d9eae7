/**
 * Restart intensity: more than `restartsMax` restarts within `withinMs` and a supervisor gives up.
 * A restart exactly `withinMs` ago still counts, and a maximum of zero allows none, as in OTP.
 */
import type { Instant } from '../base/clock.ts';
import { at } from '../base/clock.ts';

export type Intensity = { readonly restartsMax: number; readonly withinMs: number };

/**
 * The newest `restartsMax` restarts in a ring. Whether one more is allowed depends on one of them
 * alone, the one that is `restartsMax` back: so neither window nor rate make the answer dearer.
 */
export class RestartWindow {
  readonly #intensity: Intensity;
  readonly #ring: Instant[] = [];
  /** Where the oldest is, once the ring is full. */
  #oldest = 0;

  constructor(intensity: Intensity, past: readonly Instant[] = []) {
    this.#intensity = intensity;
    for (const then of past) this.#remember(then);
  }

  /** True and remembered, or false and as if not asked. A clock set back counts as one that stood still. */
  admit(now: Instant): boolean {
    const { restartsMax, withinMs } = this.#intensity;
    if (restartsMax < 1) return false;
    const instant = at(Math.max(now, this.#newest() ?? now));
    const decisive = this.#ring.length < restartsMax ? undefined : this.#ring[this.#oldest];
    if (decisive !== undefined && instant - decisive <= withinMs) return false;
    this.#remember(instant);
    return true;
  }

  /** What is remembered, oldest first: enough to go on after our own restart. */
  get past(): readonly Instant[] {
    return [...this.#ring.slice(this.#oldest), ...this.#ring.slice(0, this.#oldest)];
  }

  #newest(): Instant | undefined {
    return this.#ring.at(this.#oldest - 1);
  }

  #remember(instant: Instant): void {
    if (this.#ring.length < this.#intensity.restartsMax) {
      this.#ring.push(instant);
      return;
    }
    if (this.#ring.length === 0) return;
    this.#ring[this.#oldest] = instant;
    this.#oldest = (this.#oldest + 1) % this.#ring.length;
  }
}
