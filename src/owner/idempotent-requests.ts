/**
 * Commands that their caller may send again. A command with a key is carried out once: the key is part
 * of the fact that makes it durable, so whichever owner is asked finds it there. Commands that change
 * nothing when they are sent twice need no key.
 */
import { Refusal } from '../base/errors.ts';
import type { RequestMark, StoredEvent } from '../protocol/event.ts';
import type { Journal } from '../store/journal.ts';

type UnderWay = { readonly digest: string; readonly answer: Promise<unknown> };

export class IdempotentRequests {
  readonly #journal: () => Journal;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(journal: () => Journal) {
    this.#journal = journal;
  }

  /**
   * `act` carries the command out and writes the mark into its fact; `recall` answers from a fact that
   * an earlier request with the same key has left. Refuses a key that was used for something else.
   */
  async once<Answer>(
    mark: RequestMark | undefined,
    act: (mark?: RequestMark) => Promise<Answer>,
    recall: (fact: StoredEvent) => Promise<Answer>,
  ): Promise<Answer> {
    if (mark === undefined) return act();
    const { key, digest } = mark;
    const same = this.#underWay.get(key);
    if (same !== undefined) {
      if (same.digest !== digest) throw reused(key);
      return same.answer as Promise<Answer>;
    }
    const answer = this.#once(mark, act, recall);
    this.#underWay.set(key, { digest, answer });
    try {
      return await answer;
    } finally {
      this.#underWay.delete(key);
    }
  }

  async #once<Answer>(
    mark: RequestMark,
    act: (mark: RequestMark) => Promise<Answer>,
    recall: (fact: StoredEvent) => Promise<Answer>,
  ): Promise<Answer> {
    const fact = await this.#journal().findRequest(mark.key);
    if (fact === undefined) return act(mark);
    if (digestOf(fact) !== mark.digest) throw reused(mark.key);
    return recall(fact);
  }
}

function digestOf({ payload }: StoredEvent): string | undefined {
  return 'request' in payload ? payload.request.digest : undefined;
}

function reused(key: string): Refusal {
  return new Refusal({
    code: 'request.key-reused',
    message: `The idempotency key ${key} was used for a different command.`,
    hint: 'Use the same key only to send the same command again.',
  });
}
