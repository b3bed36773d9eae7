/**
 * The slots that one run holds under limits. Most belong to a command, from its admission to its end. Some
 * belong to the run itself, which keeps them between its commands.
 */
import type { Instant } from '../../base/clock.ts';
import type { CommandKey, RunId } from '../../base/ids.ts';
import type { LimitPool, LimitRequest } from '../limits.ts';
import { limitKey } from '../limits.ts';

export class RunSlots {
  readonly #run: RunId;
  readonly #pool: LimitPool;
  /** The limits that each command was admitted under. The run's own slots are listed with the command that took them. */
  readonly #slotsByCommand = new Map<CommandKey, readonly string[]>();
  readonly #unstarted = new Set<CommandKey>();
  #runSlots: ReadonlySet<string> = new Set();
  /** The slots of commands that the end of the last owner interrupted. The next command that needs all of them has them. */
  #kept: readonly string[] = [];
  /** The commands that have waited for a slot since the program last looked at what they depend on. */
  readonly #waited = new Set<CommandKey>();
  /** Whether that is so for every command: the run was waiting when its last owner ended. */
  #allWaited = false;
  /** By the command that looks again: the command that keeps its place in the queue meanwhile. */
  readonly #rechecks = new Map<CommandKey, CommandKey>();

  constructor(run: RunId, pool: LimitPool) {
    this.#run = run;
    this.#pool = pool;
  }

  /** Asks only for slots that the run does not hold yet: between two attempts it keeps its own. */
  admit(key: CommandKey, limits: readonly LimitRequest[], now: Instant): boolean {
    const requests = this.#requests(limits);
    if (requests.length > 0 && this.#takeKept(key, requests.map(limitKey))) return true;
    if (!this.#pool.admit(this.#token(key), requests, now)) {
      this.#waited.add(key);
      return false;
    }
    this.#waited.delete(key);
    const keys = requests.map(limitKey);
    this.#runSlots = new Set([
      ...this.#runSlots,
      ...keys.filter((limit) => this.#pool.countsRuns(limit)),
    ]);
    this.#slotsByCommand.set(key, keys);
    this.#unstarted.add(key);
    return true;
  }

  /** The run continues under a new owner. What its next command depends on is as old as its last fact. */
  resumed(): void {
    this.#allWaited = true;
  }

  /** Whether the command has waited and its slot is free now, so that `recheck` begins first. It keeps its place meanwhile. */
  beginsRecheck(
    key: CommandKey,
    { recheck, limits }: { readonly recheck: CommandKey; readonly limits: readonly LimitRequest[] },
    now: Instant,
  ): boolean {
    if (this.#allWaited) {
      this.#pool.join(this.#token(key), this.#requests(limits));
      this.#waited.add(key);
    }
    if (!this.#waited.has(key) || !this.#pool.ready(now).includes(this.#token(key))) return false;
    this.#waited.delete(key);
    this.#rechecks.set(recheck, key);
    return true;
  }

  /** The run keeps its own slots, so it does not ask for them again. */
  #requests(limits: readonly LimitRequest[]): readonly LimitRequest[] {
    return limits.filter((limit) => !this.#runSlots.has(limitKey(limit)));
  }

  started(key: CommandKey, now: Instant): void {
    this.#allWaited = false;
    this.#unstarted.delete(key);
    this.#pool.started(this.#slotsByCommand.get(key) ?? [], now);
  }

  /** The command is over. */
  ended(key: CommandKey): void {
    this.#rechecks.delete(key);
    const slots = this.#slotsByCommand.get(key) ?? [];
    this.#slotsByCommand.delete(key);
    this.#pool.ended(slots.filter((limit) => !this.#runSlots.has(limit)));
  }

  /**
   * Takes back the slots that the run had under the last owner, before any other run can take them: its own, and those
   * of its interrupted commands, so that no run that waited overtakes it.
   */
  reclaim(limits: readonly string[], interrupted: readonly string[]): void {
    const own = limits.filter((limit) => this.#pool.countsRuns(limit));
    this.#runSlots = new Set(own);
    this.#kept = [...new Set(interrupted)].filter(
      (limit) => !this.#runSlots.has(limit) && !this.#pool.hasRate(limit),
    );
    this.#pool.reclaim([...own, ...this.#kept]);
  }

  /** Gives back the slots of interrupted commands: none of them starts again now. */
  giveUpKept(): void {
    const kept = this.#kept;
    this.#kept = [];
    this.#pool.ended(kept);
  }

  /** Removes commands of this run from the queue if the program no longer wants them. */
  forgetWaiters(wanted: readonly CommandKey[]): void {
    const kept = [...wanted, ...this.#rechecks.values()];
    const tokens = new Set(kept.map((key) => this.#token(key)));
    for (const token of this.#pool.waiting())
      if (token.startsWith(`${this.#run}/`) && !tokens.has(token)) this.#pool.forget(token);
  }

  /** Gives back the slots of commands that were admitted and will not start. */
  withdraw(): void {
    for (const key of this.#unstarted) {
      const slots = this.#slotsByCommand.get(key) ?? [];
      this.#slotsByCommand.delete(key);
      this.#runSlots = new Set([...this.#runSlots].filter((limit) => !slots.includes(limit)));
      this.#pool.withdrawn(slots);
    }
    this.#unstarted.clear();
  }

  /** Gives up the run's own slots: none of its commands is running, and none will start for a long time. */
  release(): void {
    this.giveUpKept();
    const own = [...this.#runSlots];
    this.#runSlots = new Set();
    this.#pool.ended(own);
  }

  /** All or none of them: a run that waits for one slot must not hold another. */
  #takeKept(key: CommandKey, wanted: readonly string[]): boolean {
    const kept = new Set(this.#kept);
    const hasAll = wanted.every((limit) => kept.has(limit));
    if (hasAll) {
      this.#kept = this.#kept.filter((limit) => !wanted.includes(limit));
      this.#slotsByCommand.set(key, wanted);
      this.#pool.readmit(wanted);
      this.#unstarted.add(key);
    }
    this.giveUpKept();
    return hasAll;
  }

  #token(key: CommandKey): string {
    return `${this.#run}/${key}`;
  }
}
