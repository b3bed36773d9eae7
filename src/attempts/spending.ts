/** What an attempt spends, written into its run's stream call by call, so that it holds whoever dies. */
import type { CallCost, Spent } from '../gateway/budget.ts';
import { NOTHING } from '../gateway/budget.ts';
import type { BudgetNote } from '../protocol/budget-view.ts';

export class Spending {
  readonly #note: (note: BudgetNote) => Promise<void>;
  #unsaid: Spent = NOTHING;
  #saying: Promise<void> | undefined;

  constructor(note: (note: BudgetNote) => Promise<void>) {
    this.#note = note;
  }

  add({ tokens, usd }: CallCost): void {
    const { tokens: t, usd: u, calls } = this.#unsaid;
    this.#unsaid = { tokens: t + tokens, usd: u + (usd ?? 0), calls: calls + 1 };
    this.#saying ??= this.#say();
  }

  /** Resolves when all of it is on record. */
  async said(): Promise<void> {
    await this.#saying;
  }

  /** However many calls end while one note is written, the next one holds them all. */
  async #say(): Promise<void> {
    while (this.#unsaid.calls > 0) {
      const now = this.#unsaid;
      this.#unsaid = NOTHING;
      await this.#note({ kind: 'spent', ...now });
    }
    this.#saying = undefined;
  }
}
