/** Says when nobody needs the owner any more: no run open, nobody following, no request for a while. */
import type { Clock, Instant } from '../base/clock.ts';
import { after } from '../base/clock.ts';

export class Idle {
  readonly #clock: Clock;
  readonly #isBusy: () => boolean;
  #held = 0;
  #touchedAt: Instant;

  constructor(clock: Clock, isBusy: () => boolean) {
    this.#clock = clock;
    this.#isBusy = isBusy;
    this.#touchedAt = clock.now();
  }

  touched(): void {
    this.#touchedAt = this.#clock.now();
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
      const due = after(this.#touchedAt, idleMs);
      if (due <= this.#clock.now()) return true;
      if (!(await this.#clock.sleepUntil(due, signal))) return false;
    }
  }
}
