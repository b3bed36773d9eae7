/**
 * The places that one run has taken under limits. Most are a command's, from being let in to the end of its
 * performance; some are the run's own, which keeps them between its commands.
 */
import type { Instant } from '../../base/clock.ts';
import type { CommandKey, RunId } from '../../base/ids.ts';
import type { LimitPool, LimitRequest } from '../limits.ts';
import { limitKey } from '../limits.ts';

export class RunSlots {
  readonly #run: RunId;
  readonly #book: LimitPool;
  /** What each command was let in for, the run's own places with the command that took them. */
  readonly #taken = new Map<CommandKey, readonly string[]>();
  readonly #unstarted = new Set<CommandKey>();
  #own: ReadonlySet<string> = new Set();

  constructor(run: RunId, book: LimitPool) {
    this.#run = run;
    this.#book = book;
  }

  /** What the run has already is not asked for again: between two attempts it keeps its turn. */
  admit(key: CommandKey, limits: readonly LimitRequest[], now: Instant): boolean {
    const wishes = limits.filter((limit) => !this.#own.has(limitKey(limit)));
    if (!this.#book.admit(this.#token(key), wishes, now)) return false;
    const wanted = wishes.map(limitKey);
    this.#own = new Set([...this.#own, ...wanted.filter((limit) => this.#book.isOfRuns(limit))]);
    this.#taken.set(key, wanted);
    this.#unstarted.add(key);
    return true;
  }

  started(key: CommandKey, now: Instant): void {
    this.#unstarted.delete(key);
    this.#book.started(this.#taken.get(key) ?? [], now);
  }

  /** The command is over. */
  leave(key: CommandKey): void {
    const taken = this.#taken.get(key) ?? [];
    this.#taken.delete(key);
    this.#book.ended(taken.filter((limit) => !this.#own.has(limit)));
  }

  /** What the run had with the last owner is still its own: nobody gets in between. */
  reclaim(limits: readonly string[]): void {
    const own = limits.filter((limit) => this.#book.isOfRuns(limit));
    this.#own = new Set(own);
    this.#book.reclaim(own);
  }

  /** Whoever of this run waits for what is no longer wanted gives up its turn. */
  forgetWaiters(wanted: readonly CommandKey[]): void {
    const tokens = new Set(wanted.map((key) => this.#token(key)));
    for (const token of this.#book.waiting())
      if (token.startsWith(`${this.#run}/`) && !tokens.has(token)) this.#book.forget(token);
  }

  /** What was let in and has not started will not start. */
  withdraw(): void {
    for (const key of this.#unstarted) {
      const taken = this.#taken.get(key) ?? [];
      this.#taken.delete(key);
      this.#own = new Set([...this.#own].filter((limit) => !taken.includes(limit)));
      this.#book.withdrawn(taken);
    }
    this.#unstarted.clear();
  }

  /** Gives up the run's own places: nothing of it is performed, and nothing will be for long. */
  release(): void {
    const own = [...this.#own];
    this.#own = new Set();
    this.#book.ended(own);
  }

  #token(key: CommandKey): string {
    return `${this.#run}/${key}`;
  }
}
