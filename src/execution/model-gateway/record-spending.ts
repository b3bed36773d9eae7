/**
 * Records the spending of an attempt in its run's stream, call by call: the maximum cost before a
 * call, the real cost after it. So the count survives a crash at any moment.
 */
import type { CallCharge, CallCost } from '../../gateway/budget/budget-ledger.ts';
import type { BudgetNote } from '../../protocol/views/budget-view.ts';

const NOTHING = { tokens: 0, usd: 0, calls: 0, inputTokens: 0, outputTokens: 0, unpriced: 0 };

export class SpendingRecorder {
  readonly #note: (note: BudgetNote) => Promise<void>;
  #unrecorded: Readonly<typeof NOTHING> = NOTHING;
  #settled: number[] = [];
  /** Calls that have ended and whose end is not recorded yet. */
  readonly #settling = new Set<number>();
  #recording: Promise<void> | undefined;

  constructor(note: (note: BudgetNote) => Promise<void>) {
    this.#note = note;
  }

  /**
   * Resolves when the reservation is recorded. If the same call was made before, its cost is recorded
   * first. Otherwise that record would settle the new reservation.
   */
  async begin(call: number, { tokens, usd }: CallCost): Promise<void> {
    if (this.#settling.has(call)) await this.#recording;
    const unpriced = usd === null ? ({ unpriced: true } as const) : {};
    await this.#note({ kind: 'reserved', call, tokens, usd: usd ?? 0, ...unpriced });
  }

  /** Null: the call never reached the provider and costs nothing. */
  end(call: number, charge: CallCharge | null): void {
    this.#settled.push(call);
    this.#settling.add(call);
    if (charge !== null) this.#unrecorded = added(this.#unrecorded, charge);
    this.#recording ??= this.#record();
  }

  /** Resolves when all spending so far is recorded. */
  async recorded(): Promise<void> {
    await this.#recording;
  }

  /** All calls that end while one note is written share the next note. */
  async #record(): Promise<void> {
    while (this.#settled.length > 0) {
      const [now, settled] = [this.#unrecorded, this.#settled];
      this.#unrecorded = NOTHING;
      this.#settled = [];
      await this.#note({ kind: 'spent', ...now, settled });
      for (const call of settled) this.#settling.delete(call);
    }
    this.#recording = undefined;
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
