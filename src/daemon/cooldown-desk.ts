/** What a person asks about cooldowns: who rests, and that somebody shall be tried again. */
import type { CooldownBook } from '../attempts/cooldown-book.ts';
import type { Cooling } from '../attempts/cooldowns.ts';
import { Refusal } from '../base/errors.ts';
import type { ClearWish, CooldownView } from '../protocol/cooldown-view.ts';

export class CooldownDesk {
  readonly #book: CooldownBook;

  constructor(book: CooldownBook) {
    this.#book = book;
  }

  list(): readonly CooldownView[] {
    return this.#book.cooling().map(viewOf);
  }

  /** Resolves with those that may be tried again. Refuses a name under which nobody rests. */
  async clear({ which }: ClearWish): Promise<readonly CooldownView[]> {
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

function viewOf({ agent, identity, until, reason, lastLimitedAt }: Cooling): CooldownView {
  return { agent, identity, until, reason, lastLimitedAt };
}
