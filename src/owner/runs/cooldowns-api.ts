/** What a person asks about cooldowns: who rests, and that somebody shall be tried again. */
import type { CooldownStore } from '../../limits/cooldown-store.ts';
import type { CoolingAgent } from '../../limits/cooldown-state.ts';
import { Refusal } from '../../base/errors.ts';
import type { ClearRequest, CooldownView } from '../../protocol/views/cooldown-view.ts';

export class CooldownsApi {
  readonly #book: CooldownStore;

  constructor(book: CooldownStore) {
    this.#book = book;
  }

  list(): readonly CooldownView[] {
    return this.#book.cooling().map(viewOf);
  }

  /** Resolves with those that may be tried again. Refuses a name under which nobody rests. */
  async clear({ which }: ClearRequest): Promise<readonly CooldownView[]> {
    const cleared = await this.#book.clear(
      ({ agent, identity }) => which === null || agent === which || identity === which,
    );
    if (cleared.length > 0 || which === null) return cleared.map(viewOf);
    const names = this.#book.cooling().map(({ agent }) => agent);
    throw new Refusal({
      code: 'cooldown.not-found',
      message: `Nobody named ${JSON.stringify(which)} rests.`,
      hint:
        names.length === 0
          ? 'No agent rests at the moment.'
          : `Name one of these: ${[...new Set(names)].join(', ')}`,
    });
  }
}

function viewOf({ agent, identity, until, reason, lastLimitedAt }: CoolingAgent): CooldownView {
  return { agent, identity, until, reason, lastLimitedAt };
}
