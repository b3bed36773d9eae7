/**
 * Restart intensity: a supervisor gives up after more than `restartsMax` restarts within `withinMs`.
 * A restart exactly `withinMs` ago still counts, and a maximum of zero allows none, as in OTP.
 * Times are elapsed times, because setting the wall clock must not drop or move a restart.
 */
export type Intensity = { readonly restartsMax: number; readonly withinMs: number };

/**
 * The newest `restartsMax` restarts in a ring. Whether one more is allowed depends only on the oldest of
 * them, so the cost depends neither on the window nor on the rate.
 */
export class RestartWindow {
  readonly #intensity: Intensity;
  readonly #ring: number[] = [];
  /** The index of the oldest, once the ring is full. */
  #oldest = 0;

  constructor(intensity: Intensity, past: readonly number[] = []) {
    this.#intensity = intensity;
    for (const restartMs of past) this.#remember(restartMs);
  }

  /** Counts a restart and returns true, or returns false and counts nothing. */
  admit(elapsedMs: number): boolean {
    const { restartsMax, withinMs } = this.#intensity;
    if (restartsMax < 1) return false;
    const oldest = this.#ring.length < restartsMax ? undefined : this.#ring[this.#oldest];
    if (oldest !== undefined && elapsedMs - oldest <= withinMs) return false;
    this.#remember(elapsedMs);
    return true;
  }

  /** The counted restarts, oldest first: enough to continue after a restart of this process. */
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
