/** Lists the agents that are cooling down, and clears cooldowns on request. */
import type { CooldownStore } from '../../limits/cooldown-store.ts';
import type { CoolingAgent } from '../../limits/cooldown-state.ts';
import { Refusal } from '../../base/errors.ts';
import type { Engine } from '../../engine/engine.ts';
import { refusalOr } from '../../execution/refusal-outcome.ts';
import type { ClearRequest, CooldownView } from '../../protocol/views/cooldown-view.ts';
import type { Journal } from '../../store/journal.ts';
import { runsLimitedBy } from './runs-to-retry.ts';

/** The runs that may wait for a cooldown. */
type WaitingRuns = {
  readonly journal: Pick<Journal, 'runs' | 'readStream'>;
  readonly engine: Pick<Engine, 'signal'>;
};

export class CooldownsApi {
  readonly #store: CooldownStore;
  readonly #runs: WaitingRuns;

  constructor(store: CooldownStore, runs: WaitingRuns) {
    this.#store = store;
    this.#runs = runs;
  }

  list(): readonly CooldownView[] {
    return this.#store.cooling().map(toView);
  }

  /**
   * Resolves with the cleared cooldowns. Runs that wait for one of them continue. Refuses a name if no agent of that
   * name is cooling down.
   */
  async clear({ which }: ClearRequest): Promise<readonly CooldownView[]> {
    const cleared = await this.#store.clear(
      ({ agent, identity }) => which === null || agent === which || identity === which,
    );
    await this.#wake(cleared);
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

  async #wake(cleared: readonly CoolingAgent[]): Promise<void> {
    const identities = cleared.map(({ identity }) => identity);
    if (identities.length === 0) return;
    const { journal, engine } = this.#runs;
    // A run that has ended meanwhile refuses the signal.
    for (const run of await runsLimitedBy(identities, journal))
      await refusalOr(engine.signal(run, { kind: 'retry-now' }));
  }
}

function toView({ agent, identity, until, reason, lastLimitedAt }: CoolingAgent): CooldownView {
  return { agent, identity, until, reason, lastLimitedAt };
}
