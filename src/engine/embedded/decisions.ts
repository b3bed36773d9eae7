/** What the program of one run wants, and what of it can begin now. Nothing is written or carried out here. */
import type { Clock, Instant } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { Random } from '../../base/random.ts';
import type { Ledger } from '../ledger.ts';
import { freshMoves } from '../ledger.ts';
import type { Move, Program } from '../program.ts';
import { performKeys } from './begin-facts.ts';
import type { LoadedRun } from './load-run.ts';
import type { RunSlots } from './run-slots.ts';

export type Decided = {
  readonly ledger: Ledger;
  /** Everything that the program wants now. */
  readonly requested: readonly Move[];
  /** What of it is new. */
  readonly moves: readonly Move[];
  /** What of that can begin. */
  readonly admitted: readonly Move[];
};

export class Decisions {
  readonly #run: RunId;
  readonly #program: Program<Json>;
  readonly #slots: RunSlots;
  readonly #ports: { readonly random: Random; readonly clock: Clock };

  constructor(
    run: RunId,
    program: Program<Json>,
    slots: RunSlots,
    ports: { readonly random: Random; readonly clock: Clock },
  ) {
    this.#run = run;
    this.#program = program;
    this.#slots = slots;
    this.#ports = ports;
  }

  /** Takes the slots of the commands that can begin. */
  decide({ state, ledger }: LoadedRun, now: Instant): Decided {
    const requested = this.#program.next(state, now, this.#ports.random());
    const moves = freshMoves(ledger, requested);
    const admitted = moves.flatMap((move) => this.#admit(move));
    this.#slots.forgetWaiters(performKeys(moves));
    const finishes = admitted.some(({ kind }) => kind === 'finish');
    if (finishes && (admitted.some(({ kind }) => kind !== 'finish') || ledger.open.length > 0))
      throw new Error(`${this.#program.name} finishes run ${this.#run} while something is open`);
    return { ledger, requested, moves, admitted };
  }

  /**
   * Only performed commands count against limits. A command without a free slot is not begun yet. After it has waited
   * for one, its recheck begins first, and the program decides again.
   */
  #admit(move: Move): readonly Move[] {
    if (move.kind !== 'perform') return [move];
    const { key, limits = [], recheck } = move;
    const now = this.#ports.clock.now();
    if (recheck !== undefined) {
      const look = { recheck: recheck.key, limits };
      if (this.#slots.beginsRecheck(key, look, now)) return [recheck];
    }
    return this.#slots.admit(key, limits, now) ? [move] : [];
  }
}
