/** Looks at one thing after the other and puts down what each came to. Only a defect is thrown. */
import { Refusal } from '../../base/errors.ts';
import type { Preflight, PreflightCheck } from '../../protocol/views/preflight-view.ts';

/** What a look has found: a value to go on with, and words for a person. */
export type CheckResult<Value> = {
  readonly value: Value;
  readonly words: string;
  /** It would do, and something about it is worth knowing first. */
  readonly warning?: { readonly words: string; readonly hint?: string };
};

export class Checklist {
  readonly #checks: PreflightCheck[] = [];

  /** Undefined: it was refused, and what needs it can't be looked at. */
  async look<Value>(
    id: string,
    title: string,
    work: () => CheckResult<Value> | Promise<CheckResult<Value>>,
  ): Promise<Value | undefined> {
    try {
      const { value, words, warning } = await work();
      if (warning === undefined) this.#put({ id, title, state: 'ok', words });
      else this.#put({ id, title, state: 'warning', ...warning });
      return value;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.failed(id, title, error);
      return undefined;
    }
  }

  /** `isBearable`: the run would go on without it. */
  failed(
    id: string,
    title: string,
    { data }: Refusal,
    { isBearable = false }: { readonly isBearable?: boolean } = {},
  ): void {
    const { message: words, hint, code } = data;
    const state = isBearable ? 'warning' : 'failed';
    this.#put({ id, title, state, words, code, ...(hint === undefined ? {} : { hint }) });
  }

  view(): Preflight {
    return { ok: this.#checks.every(({ state }) => state !== 'failed'), checks: this.#checks };
  }

  #put(
    check: Pick<PreflightCheck, 'id' | 'title' | 'state' | 'words'> & {
      hint?: string;
      code?: string;
    },
  ): void {
    this.#checks.push({ hint: null, code: null, ...check });
  }
}
