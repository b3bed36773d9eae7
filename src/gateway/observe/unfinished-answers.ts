/**
 * Counts answers in a row that brought the work no further: no tool was asked for, and no normal end was
 * reached. A CLI that takes such an answer for a step asks again without a limit.
 */
import type { CallAbout } from '../gateway-facts.ts';
import type { StopKind } from './stop-kind.ts';
import { isNormalStop } from './stop-kind.ts';

/** Claude Code goes on with an answer that is too long three times, so the fourth one is its last anyway. */
export const UNFINISHED_MAX = 4;
const CONVERSATIONS_MAX = 1000;
const ALL = '';

export class UnfinishedAnswers {
  /** By conversation, and of all of them together. */
  readonly #inARow = new Map<string, number>();
  #hasWork = false;
  #areTooMany = false;

  /** Only work counts. An agent that never offers a tool has no other calls than those on the side. */
  take({ kind, conversation }: Pick<CallAbout, 'kind' | 'conversation'>, stop: StopKind): void {
    const isWork = kind === 'main' || kind === 'sub';
    this.#hasWork ||= isWork;
    if (!isWork && (this.#hasWork || kind !== 'side')) return;
    for (const key of [ALL, conversation]) {
      const count = isNormalStop(stop) ? 0 : (this.#inARow.get(key) ?? 0) + 1;
      this.#inARow.delete(key); // so that the first is the one that was heard of longest ago
      if (count > 0) this.#inARow.set(key, count);
      this.#areTooMany ||= count >= UNFINISHED_MAX;
    }
    const [oldest] = this.#inARow.keys();
    if (this.#inARow.size > CONVERSATIONS_MAX && oldest !== undefined) this.#inARow.delete(oldest);
  }

  /** Stays true: the attempt ends with it. */
  get areTooMany(): boolean {
    return this.#areTooMany;
  }
}
