/**
 * Detects when the owner is idle: no run is open, no client is connected, and no request came for a
 * while.
 */
import type { Clock } from '../base/clock.ts';

export class Idle {
  readonly #clock: Clock;
  readonly #isBusy: () => boolean;
  #holds = 0;
  #lastUseMs: number;

  constructor(clock: Clock, isBusy: () => boolean) {
    this.#clock = clock;
    this.#isBusy = isBusy;
    this.#lastUseMs = clock.elapsedMs();
  }

  touch(): void {
    this.#lastUseMs = this.#clock.elapsedMs();
  }

  /**
   * Keeps the owner busy, for example while a client is connected. Call the returned function to
   * release the hold.
   */
  hold(): () => void {
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#holds -= 1;
      isHeld = false;
      this.touch();
    };
  }

  /** Resolves to true after `idleMs` without any use, or to false if `signal` aborts. */
  async waitForIdle(idleMs: number, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (this.#holds > 0 || this.#isBusy()) this.touch();
      const remainingMs = this.#lastUseMs + idleMs - this.#clock.elapsedMs();
      if (remainingMs <= 0) return true;
      if (!(await this.#clock.sleep(remainingMs, signal))) return false;
    }
  }
}
