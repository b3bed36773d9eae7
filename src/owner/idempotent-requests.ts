/**
 * Commands that a client may send again. A command with a key is executed once: the key is part of
 * the fact that the command records, so any later owner finds it there. Commands that change
 * nothing when they are repeated need no key.
 */
import { Refusal } from '../base/errors.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { RequestMark } from '../protocol/run-submission.ts';
import type { Journal } from '../store/journal.ts';

type PendingRequest = { readonly digest: string; readonly answer: Promise<unknown> };

export class IdempotentRequests {
  readonly #journal: () => Journal;
  readonly #pending = new Map<string, PendingRequest>();

  constructor(journal: () => Journal) {
    this.#journal = journal;
  }

  /**
   * `execute` performs the command and writes the mark into its fact. `repeatAnswer` computes the
   * answer from the fact of an earlier request with the same key. Refuses a key that was used for a
   * different command.
   */
  async once<Answer>(
    mark: RequestMark | undefined,
    execute: (mark?: RequestMark) => Promise<Answer>,
    repeatAnswer: (fact: StoredEvent) => Promise<Answer>,
  ): Promise<Answer> {
    if (mark === undefined) return execute();
    const { key, digest } = mark;
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      if (pending.digest !== digest) throw keyReused(key);
      return pending.answer as Promise<Answer>;
    }
    const answer = this.#once(mark, execute, repeatAnswer);
    this.#pending.set(key, { digest, answer });
    try {
      return await answer;
    } finally {
      this.#pending.delete(key);
    }
  }

  async #once<Answer>(
    mark: RequestMark,
    execute: (mark: RequestMark) => Promise<Answer>,
    repeatAnswer: (fact: StoredEvent) => Promise<Answer>,
  ): Promise<Answer> {
    const fact = await this.#journal().findRequest(mark.key);
    if (fact === undefined) return execute(mark);
    if (readDigest(fact) !== mark.digest) throw keyReused(mark.key);
    return repeatAnswer(fact);
  }
}

function readDigest({ payload }: StoredEvent): string | undefined {
  return 'request' in payload ? payload.request.digest : undefined;
}

function keyReused(key: string): Refusal {
  return new Refusal({
    code: 'request.key-reused',
    message: `The idempotency key ${key} was used for a different command.`,
    hint: 'Use the same key only to send the same command again.',
  });
}
