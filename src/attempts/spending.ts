/** What an attempt spends, written into its run's stream call by call, so that it holds whoever dies. */
import type { BudgetNote } from '../protocol/budget-view.ts';

type SpentNote = Extract<BudgetNote, { kind: 'spent' }>;

const NOTHING = {
  kind: 'spent',
  tokens: 0,
  usd: 0,
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  unpriced: 0,
} as const satisfies SpentNote;

/** What one call was charged; `usd` is null where its model has no price. */
export type Charge = {
  readonly tokens: number;
  readonly usd: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
};

export class Spending {
  readonly #note: (note: BudgetNote) => Promise<void>;
  #unsaid: Required<SpentNote> = NOTHING;
  #saying: Promise<void> | undefined;

  constructor(note: (note: BudgetNote) => Promise<void>) {
    this.#note = note;
  }

  add({ tokens, usd, inputTokens, outputTokens }: Charge): void {
    const sum = this.#unsaid;
    this.#unsaid = {
      kind: 'spent',
      tokens: sum.tokens + tokens,
      usd: sum.usd + (usd ?? 0),
      calls: sum.calls + 1,
      inputTokens: sum.inputTokens + inputTokens,
      outputTokens: sum.outputTokens + outputTokens,
      unpriced: sum.unpriced + (usd === null ? 1 : 0),
    };
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
      await this.#note(now);
    }
    this.#saying = undefined;
  }
}
