/** Lists the circuit breakers that have counted a failure, and closes them on request. */
import { Refusal } from '../../base/errors.ts';
import type { BreakerStore } from '../../limits/breaker-store.ts';
import type { BreakerView, ResetRequest } from '../../protocol/breaker.ts';

export class BreakersApi {
  readonly #store: BreakerStore;

  constructor(store: BreakerStore) {
    this.#store = store;
  }

  list(): readonly BreakerView[] {
    return this.#store.list();
  }

  /** Resolves with the breakers as they were. Refuses the name of a step that has none. */
  async reset({ step }: ResetRequest): Promise<readonly BreakerView[]> {
    const known = this.#store.list().map((one) => one.step);
    const closed = await this.#store.reset((one) => step === null || one.step === step);
    if (closed.length > 0 || step === null) return closed;
    throw new Refusal({
      code: 'breaker.not-found',
      message: `No circuit breaker of a step ${JSON.stringify(step)} has counted a failure.`,
      hint:
        known.length === 0
          ? 'All circuit breakers are closed.'
          : `Use one of: ${[...new Set(known)].join(', ')}`,
    });
  }
}
