/**
 * What a long-lived agent does in its turns: it gets on with its work, keeps a conversation, spends money,
 * and says of itself what is so, or what is not. Only this knows whether its work is really done.
 */
import type { AttemptInput, AttemptOutcome } from '../../attempts/attempt.ts';
import type { PursesOf } from '../../attempts/run-purses.ts';
import { capOf } from '../../attempts/run-purses.ts';
import { saidIn } from '../../attempts/said.ts';
import { Spending } from '../../attempts/spending.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { Luck } from '../../base/luck.ts';
import { drawInt } from '../../base/luck.ts';
import type { Deeds } from '../../daemon/deeds.ts';
import type { Errand, Order } from '../../engine/performer.ts';
import type { Reservation } from '../../gateway/purse.ts';
import { reserveIn } from '../../gateway/purse.ts';
import type { BudgetNote } from '../../protocol/budget-view.ts';
import type { AgentsScenario, TurnFault } from './agents-scenario.ts';
import type { Process } from './record.ts';
import type { WorldClock } from './world-clock.ts';

/** What an owner has for the turns of its agents. */
export type TurnPorts = {
  readonly clock: Clock;
  readonly pursesOf: PursesOf;
  readonly deeds: Deeds;
};

/** A turn makes one call, which costs a dollar. */
const COST = { tokens: 1000, usd: 1, inputTokens: 900, outputTokens: 100 };
const WISH = {
  inputTokens: COST.inputTokens,
  outputTokens: COST.outputTokens,
  outputTokensMin: COST.outputTokens,
  usd: { input: COST.usd, outputToken: 0 },
};
const CALL = 1;
const SPIN_EVERY_MS = 4000;
const TURNS_MAX = 3;

type Work = { readonly needs: number; tree: number; done: number };

export class Turns {
  readonly #clock: WorldClock;
  readonly #luck: Luck;
  readonly #scenario: AgentsScenario;
  readonly #happened: (fault: TurnFault) => void;
  readonly #works = new Map<string, Work>();
  /** How the call of each process is settled. */
  readonly #calls = new Map<number, () => void>();

  constructor(
    clock: WorldClock,
    luck: Luck,
    scenario: AgentsScenario,
    happened: (fault: TurnFault) => void,
  ) {
    this.#clock = clock;
    this.#luck = luck;
    this.#scenario = scenario;
    this.#happened = happened;
  }

  /** Whether what an agent has promised is so now; undefined: it is none. */
  holds(run: string): boolean | undefined {
    const work = this.#works.get(run);
    return work === undefined ? undefined : work.done >= work.needs;
  }

  /** Undefined: it is on its way, and goes on with `session`. */
  async begin(
    process: Process,
    { run, input }: Order,
    errand: Errand,
    ports: TurnPorts,
  ): Promise<{ readonly session: string; readonly spent: () => Promise<void> } | AttemptOutcome> {
    const { resume, tree = 1, project, budget } = input as unknown as AttemptInput;
    const work = this.#workOf(run, tree);
    if (typeof resume === 'string' && this.#strikes('session-corrupt')) {
      const message = 'the conversation can not be read';
      return { kind: 'failed', reason: 'crashed', message, session: null, exit: 1 };
    }
    const session = typeof resume === 'string' ? resume : `s${process.pid}`;
    await errand.note({ kind: 'session', session });
    ports.deeds.tell(run, { kind: 'turn-begun', folder: `${project}/${work.tree}` });
    if (budget === undefined) return { session, spent: () => Promise.resolve() };
    const spending = new Spending((note) => errand.note({ ...note }));
    const { purses } = await ports.pursesOf(run, project, budget);
    const asked = await reserveIn(purses, WISH, ports.clock, errand.asked);
    if (asked.kind === 'called-off') return { kind: 'stopped' };
    if (asked.kind === 'exhausted') {
      const { limit, because, purse } = asked;
      const cap = capOf(budget[purse.scope], limit) ?? 0;
      const over: BudgetNote = { kind: 'over-budget', scope: purse.scope, limit, because, cap };
      await errand.note({ ...over });
      return { kind: 'failed', reason: 'budget', message: 'its budget is spent', session };
    }
    await spending.begin(CALL, COST);
    return { session, spent: this.#settling(process, asked, spending) };
  }

  /** Does the same again and again until somebody ends it. False: it does not spin. */
  spins(process: Process, run: RunId, { deeds }: TurnPorts): boolean {
    if (!this.#strikes('agent-spins')) return false;
    const again = (): void => {
      if (process.diedOrder !== null) return;
      deeds.tell(run, { kind: 'call', call: 'grep -r nothing .' });
      this.#clock.after(SPIN_EVERY_MS, again);
    };
    again();
    return true;
  }

  /** One turn further. What it says of that is another matter. */
  complete(run: RunId, session: string, { deeds }: TurnPorts): AttemptOutcome {
    deeds.tell(run, { kind: 'turn-ended' });
    const work = this.#workOf(run);
    work.done += 1;
    const said = saidIn(`${this.#note()}${this.#claim(work)}`);
    return { kind: 'completed', summary: 'a turn', session, said };
  }

  /** A call that is cut off has cost what it may cost, and whoever shares the purse waits for it. */
  ended({ pid }: Process): void {
    this.#calls.get(pid)?.();
  }

  #claim({ done, needs }: Work): string {
    if (this.#strikes('agent-aborts')) return '{"status":"abort","reason":"it makes no sense"}';
    if (this.#strikes('agent-silent')) return 'I have had a look around.';
    if (done >= needs) return 'DONE';
    if (this.#strikes('agent-lies')) return 'DONE';
    return this.#luck() < this.#scenario.waits ? '{"status":"waiting"}' : 'There is more to do.';
  }

  #note(): string {
    return this.#luck() < this.#scenario.notes ? `NOTE: ${this.#clock.elapsedMs}\n` : '';
  }

  #settling({ pid }: Process, reservation: Reservation, spending: Spending): () => Promise<void> {
    this.#calls.set(pid, () => {
      this.#calls.delete(pid);
      reservation.settle(COST);
      spending.end(CALL, COST);
    });
    return async () => {
      this.#calls.get(pid)?.();
      await spending.said();
    };
  }

  #workOf(run: string, tree?: number): Work {
    const before = this.#works.get(run);
    const work = before ?? { needs: drawInt(this.#luck, 1, TURNS_MAX), tree: 1, done: 0 };
    this.#works.set(run, work);
    // What was done in a tree that is discarded is gone.
    if (tree !== undefined && tree !== work.tree) Object.assign(work, { tree, done: 0 });
    return work;
  }

  #strikes(fault: TurnFault): boolean {
    const strikes = this.#luck() < this.#scenario.faults[fault];
    if (strikes) this.#happened(fault);
    return strikes;
  }
}
