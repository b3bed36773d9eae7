/**
 * Records the spending of an attempt in its run's stream, call by call: the maximum cost before a
 * call, the real cost after it. So the count survives any death at any time.
 */
import type { CallCharge, CallCost } from '../../gateway/budget/budget-ledger.ts';
import type { BudgetNote } from '../../protocol/views/budget-view.ts';

const NOTHING = { tokens: 0, usd: 0, calls: 0, inputTokens: 0, outputTokens: 0, unpriced: 0 };

export class SpendingRecorder {
  readonly #note: (note: BudgetNote) => Promise<void>;
  #unsaid: Readonly<typeof NOTHING> = NOTHING;
  #settled: number[] = [];
  /** Ended, and not on record as that. */
  readonly #settling = new Set<number>();
  #saying: Promise<void> | undefined;

  constructor(note: (note: BudgetNote) => Promise<void>) {
    this.#note = note;
  }

  /** Resolves when it is on record. A call that is made once more waits for what it cost before, which would else settle this. */
  async begin(call: number, { tokens, usd }: CallCost): Promise<void> {
    if (this.#settling.has(call)) await this.#saying;
    await this.#note({ kind: 'reserved', call, tokens, usd: usd ?? 0 });
  }

  /** Null: it never reached the provider, and counts for nothing. */
  end(call: number, charge: CallCharge | null): void {
    this.#settled.push(call);
    this.#settling.add(call);
    if (charge !== null) this.#unsaid = added(this.#unsaid, charge);
    this.#saying ??= this.#say();
  }

  /** Resolves when all of it is on record. */
  async said(): Promise<void> {
    await this.#saying;
  }

  /** However many calls end while one note is written, the next one holds them all. */
  async #say(): Promise<void> {
    while (this.#settled.length > 0) {
      const [now, settled] = [this.#unsaid, this.#settled];
      this.#unsaid = NOTHING;
      this.#settled = [];
      await this.#note({ kind: 'spent', ...now, settled });
      for (const call of settled) this.#settling.delete(call);
    }
    this.#saying = undefined;
  }
}

function added(sum: Readonly<typeof NOTHING>, charge: CallCharge): typeof NOTHING {
  return {
    tokens: sum.tokens + charge.tokens,
    usd: sum.usd + (charge.usd ?? 0),
    calls: sum.calls + 1,
    inputTokens: sum.inputTokens + charge.inputTokens,
    outputTokens: sum.outputTokens + charge.outputTokens,
    unpriced: sum.unpriced + (charge.usd === null ? 1 : 0),
  };
}
