/**
 * Limits how fast one run may decide. A program in a livelock writes facts as fast as the disk takes
 * them, and its owner then answers no request. So each decision lets the event loop serve other
 * requests first. A run that decides more often than any work can explain is a defect.
 */
import type { Clock } from '../../base/clock.ts';

/** The number of decisions that a run may make at once, however little time passes. */
export const BURST_MAX = 1000;
/** The lasting rate after a burst. A command that does real work takes longer than this. */
export const DECISIONS_PER_SECOND = 10;

/** The program of a run is in a livelock. Another try from the same facts would do the same. */
export class LivelockError extends Error {
  constructor(program: string, run: string) {
    super(`${program} is in a livelock in run ${run}: ${BURST_MAX} decisions without progress`);
    this.name = 'LivelockError';
  }
}

export class Pace {
  readonly #clock: Pick<Clock, 'elapsedMs' | 'nextTurn'>;
  #decisionsLeft = BURST_MAX;
  #countedMs: number;

  constructor(clock: Pick<Clock, 'elapsedMs' | 'nextTurn'>) {
    this.#clock = clock;
    this.#countedMs = clock.elapsedMs();
  }

  /** Call it before each decision is written. False: there were too many decisions. */
  async allows(): Promise<boolean> {
    await this.#clock.nextTurn();
    const now = this.#clock.elapsedMs();
    const earned = ((now - this.#countedMs) / 1000) * DECISIONS_PER_SECOND;
    this.#countedMs = now;
    this.#decisionsLeft = Math.min(BURST_MAX, this.#decisionsLeft + earned);
    if (this.#decisionsLeft < 1) return false;
    this.#decisionsLeft -= 1;
    return true;
  }
}
