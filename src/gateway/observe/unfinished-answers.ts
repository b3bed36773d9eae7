/**
 * Counts consecutive answers without progress: no tool call and no normal end. A CLI that treats such an answer as a
 * step would ask again without a limit.
 */
import type { CallAbout } from '../gateway-facts.ts';
import type { StopKind } from './stop-kind.ts';
import { isNormalStop } from './stop-kind.ts';

/** Claude Code continues an answer that is too long three times, so the fourth is its last anyway. */
export const UNFINISHED_MAX = 4;
const CONVERSATIONS_MAX = 1000;
const ALL = '';

export class UnfinishedAnswers {
  /** Counted by conversation, and for all conversations together. */
  readonly #inARow = new Map<string, number>();
  #hasWork = false;
  #areTooMany = false;

  /** Only work counts. An agent that never offers a tool has no calls but side calls, so those count for it. */
  take({ kind, conversation }: Pick<CallAbout, 'kind' | 'conversation'>, stop: StopKind): void {
    const isWork = kind === 'main' || kind === 'sub';
    this.#hasWork ||= isWork;
    if (!isWork && (this.#hasWork || kind !== 'side')) return;
    for (const key of [ALL, conversation]) {
      const count = isNormalStop(stop) ? 0 : (this.#inARow.get(key) ?? 0) + 1;
      this.#inARow.delete(key); // re-inserted, so that the first entry is the least recently used
      if (count > 0) this.#inARow.set(key, count);
      this.#areTooMany ||= count >= UNFINISHED_MAX;
    }
    const [oldest] = this.#inARow.keys();
    if (this.#inARow.size > CONVERSATIONS_MAX && oldest !== undefined) this.#inARow.delete(oldest);
  }

  /** Stays true, because the attempt ends with it. */
  get areTooMany(): boolean {
    return this.#areTooMany;
  }
}
