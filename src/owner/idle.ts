/** Says when nobody needs the owner any more: no run open, nobody following, no request for a while. */
import type { Clock } from '../base/clock.ts';

export class Idle {
  readonly #clock: Clock;
  readonly #isBusy: () => boolean;
  #held = 0;
  #touchedMs: number;

  constructor(clock: Clock, isBusy: () => boolean) {
    this.#clock = clock;
    this.#isBusy = isBusy;
    this.#touchedMs = clock.elapsedMs();
  }

  touched(): void {
    this.#touchedMs = this.#clock.elapsedMs();
  }

  /** Somebody stays connected; call what it returns when they leave. */
  hold(): () => void {
    this.#held += 1;
    let held = true;
    return () => {
      if (held) this.#held -= 1;
      held = false;
      this.touched();
    };
  }

  /** Resolves true after `idleMs` without need, or false when `signal` aborts. */
  async waitForIdle(idleMs: number, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (this.#held > 0 || this.#isBusy()) this.touched();
      const leftMs = this.#touchedMs + idleMs - this.#clock.elapsedMs();
      if (leftMs <= 0) return true;
      if (!(await this.#clock.sleep(leftMs, signal))) return false;
    }
  }
}
