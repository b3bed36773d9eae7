/** Runs one check after the other and records the result of each. Only a defect is thrown. */
import type { RefusalCode } from '../../base/errors.ts';
import { Refusal } from '../../base/errors.ts';
import type { Preflight, PreflightCheck } from '../../protocol/views/preflight-view.ts';

/** The result of a check: a value for later checks, and a text for a person. */
export type CheckResult<Value> = {
  readonly value: Value;
  readonly words: string;
  /** Nothing is wrong so far, but only the run itself finds out. */
  readonly isUnchecked?: true;
  /** The check passes, but the person should know something first. */
  readonly warning?: { readonly words: string; readonly hint?: string };
};

export class Checklist {
  readonly #checks: PreflightCheck[] = [];

  /** Undefined if the check was refused. Checks that need its value are skipped. */
  async check<Value>(
    id: string,
    title: string,
    work: () => CheckResult<Value> | Promise<CheckResult<Value>>,
  ): Promise<Value | undefined> {
    try {
      const { value, words, isUnchecked, warning } = await work();
      if (warning === undefined)
        this.#add({ id, title, state: isUnchecked === true ? 'unchecked' : 'ok', words });
      else this.#add({ id, title, state: 'warning', ...warning });
      return value;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.failed(id, title, error);
      return undefined;
    }
  }

  /** `isTolerable`: the run would continue without it. */
  failed(
    id: string,
    title: string,
    { data }: Refusal,
    { isTolerable = false }: { readonly isTolerable?: boolean } = {},
  ): void {
    const { message: words, hint, code } = data;
    const state = isTolerable ? 'warning' : 'failed';
    this.#add({ id, title, state, words, code, ...(hint === undefined ? {} : { hint }) });
  }

  view(): Preflight {
    return { ok: this.#checks.every(({ state }) => state !== 'failed'), checks: this.#checks };
  }

  #add(
    check: Pick<PreflightCheck, 'id' | 'title' | 'state' | 'words'> & {
      hint?: string;
      code?: RefusalCode;
    },
  ): void {
    this.#checks.push({ hint: null, code: null, ...check });
  }
}
