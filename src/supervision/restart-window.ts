/**
 * Restart intensity: more than `restartsMax` restarts within `withinMs` and a supervisor gives up.
 * A restart exactly `withinMs` ago still counts, and a maximum of zero allows none, as in OTP.
 * Moments are of elapsed time, never of the wall clock: setting that must neither forget a restart
 * nor make two of them one.
 */
export type Intensity = { readonly restartsMax: number; readonly withinMs: number };

/**
 * The newest `restartsMax` restarts in a ring. Whether one more is allowed depends on one of them
 * alone, the one that is `restartsMax` back: so neither window nor rate make the answer dearer.
 */
export class RestartWindow {
  readonly #intensity: Intensity;
  readonly #ring: number[] = [];
  /** Where the oldest is, once the ring is full. */
  #oldest = 0;

  constructor(intensity: Intensity, past: readonly number[] = []) {
    this.#intensity = intensity;
    for (const then of past) this.#remember(then);
  }

  /** True and remembered, or false and as if not asked. */
  admit(elapsedMs: number): boolean {
    const { restartsMax, withinMs } = this.#intensity;
    if (restartsMax < 1) return false;
    const decisive = this.#ring.length < restartsMax ? undefined : this.#ring[this.#oldest];
    if (decisive !== undefined && elapsedMs - decisive <= withinMs) return false;
    this.#remember(elapsedMs);
    return true;
  }

  /** What is remembered, oldest first: enough to go on after our own restart. */
  get past(): readonly number[] {
    return [...this.#ring.slice(this.#oldest), ...this.#ring.slice(0, this.#oldest)];
  }

  #remember(elapsedMs: number): void {
    if (this.#ring.length < this.#intensity.restartsMax) {
      this.#ring.push(elapsedMs);
      return;
    }
    if (this.#ring.length === 0) return;
    this.#ring[this.#oldest] = elapsedMs;
    this.#oldest = (this.#oldest + 1) % this.#ring.length;
  }
}
