/** Lists the agents that are cooling down, and clears cooldowns on request. */
import type { CooldownStore } from '../../limits/cooldown-store.ts';
import type { CoolingAgent } from '../../limits/cooldown-state.ts';
import { Refusal } from '../../base/errors.ts';
import type { ClearRequest, CooldownView } from '../../protocol/views/cooldown-view.ts';

export class CooldownsApi {
  readonly #store: CooldownStore;

  constructor(store: CooldownStore) {
    this.#store = store;
  }

  list(): readonly CooldownView[] {
    return this.#store.cooling().map(toView);
  }

  /**
   * Resolves with the cleared cooldowns. Refuses a name if no agent of that name is cooling down.
   */
  async clear({ which }: ClearRequest): Promise<readonly CooldownView[]> {
    const cleared = await this.#store.clear(
      ({ agent, identity }) => which === null || agent === which || identity === which,
    );
    if (cleared.length > 0 || which === null) return cleared.map(toView);
    const names = this.#store.cooling().map(({ agent }) => agent);
    throw new Refusal({
      code: 'cooldown.not-found',
      message: `Agent ${JSON.stringify(which)} is not cooling down.`,
      hint:
        names.length === 0
          ? 'No agent is cooling down.'
          : `Use one of: ${[...new Set(names)].join(', ')}`,
    });
  }
}

function toView({ agent, identity, until, reason, lastLimitedAt }: CoolingAgent): CooldownView {
  return { agent, identity, until, reason, lastLimitedAt };
}
