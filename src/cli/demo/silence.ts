/** Ends what waits without end: nothing was heard for too long. */
import type { Clock } from '../../base/clock.ts';

export class Silence {
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #msMax: number;
  #heard = new AbortController();

  constructor(clock: Pick<Clock, 'sleep'>, msMax: number) {
    this.#clock = clock;
    this.#msMax = msMax;
  }

  heard(): void {
    this.#heard.abort();
  }

  /** Resolves when nothing was heard for so long. Without an end if `over` aborts before. */
  async tooLong(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      this.#heard = new AbortController();
      if (await this.#clock.sleep(this.#msMax, AbortSignal.any([this.#heard.signal, over]))) return;
    }
    return new Promise(() => {});
  }
}
