/** How far features are, with the quota windows that are known when they are looked at. */
import type { Clock } from '../../base/clock.ts';
import { AgentUsageStore } from '../../limits/agent-usage-store.ts';
import type { QuotaCounts } from '../../limits/quota-stock.ts';
import type { FeatureView } from '../../protocol/views/feature-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { viewFeature } from './feature-reports.ts';

export class ViewedFeatures {
  readonly #journal: () => Journal;
  readonly #clock: Clock;
  /** By the journal that it reads: a store that is restarted has another one. */
  #usage: { readonly journal: Journal; readonly store: AgentUsageStore } | undefined;

  constructor({ journal, clock }: { readonly journal: () => Journal; readonly clock: Clock }) {
    this.#journal = journal;
    this.#clock = clock;
  }

  view(run: RunView): Promise<FeatureView> {
    return viewFeature(this.#journal(), run, this.#clock.now(), () => this.#quota());
  }

  async #quota(): Promise<QuotaCounts> {
    const journal = this.#journal();
    if (this.#usage?.journal !== journal)
      this.#usage = { journal, store: new AgentUsageStore({ journal, clock: this.#clock }) };
    return (await this.#usage.store.read()).quota;
  }
}
