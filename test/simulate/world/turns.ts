/**
 * The turns of a simulated long-lived agent: it makes progress, keeps a conversation, spends money,
 * and reports the truth or a lie. Only this file knows whether its work is really done.
 */
import type { BudgetsForRun } from '../../../src/execution/model-gateway/run-budgets.ts';
import { effectiveCap } from '../../../src/execution/model-gateway/run-budgets.ts';
import { readTurnNotes } from '../../../src/attempts/turn-notes.ts';
import { SpendingRecorder } from '../../../src/execution/model-gateway/record-spending.ts';
import type { Clock } from '../../../src/base/clock.ts';
import type { RunId } from '../../../src/base/ids.ts';
import type { Random } from '../../../src/base/random.ts';
import { randomInt } from '../../../src/base/random.ts';
import type { ActivityBus } from '../../../src/owner/monitors/activity-bus.ts';
import type { CommandContext, CommandRequest } from '../../../src/engine/performer.ts';
import type { Reservation } from '../../../src/gateway/budget/budget-pool.ts';
import { reserveIn } from '../../../src/gateway/budget/budget-pool.ts';
import type { BudgetNote } from '../../../src/protocol/views/budget-view.ts';
import type { AgentsScenario, TurnFault } from './agents-scenario.ts';
import type { Process } from './record.ts';
import type { WorldClock } from './world-clock.ts';
import type {
  AttemptInput,
  AttemptOutcome,
} from '../../../src/protocol/contracts/attempt-contract.ts';

/** What an owner provides for the turns of its agents. */
export type TurnPorts = {
  readonly clock: Clock;
  readonly budgetsForRun: BudgetsForRun;
  readonly deeds: ActivityBus;
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
  readonly #random: Random;
  readonly #scenario: AgentsScenario;
  readonly #happened: (fault: TurnFault) => void;
  readonly #works = new Map<string, Work>();
  /** How the call of each process is settled. */
  readonly #calls = new Map<number, () => void>();

  constructor(
    clock: WorldClock,
    random: Random,
    scenario: AgentsScenario,
    happened: (fault: TurnFault) => void,
  ) {
    this.#clock = clock;
    this.#random = random;
    this.#scenario = scenario;
    this.#happened = happened;
  }

  /** Whether a commitment of an agent holds now; undefined: it is not a commitment. */
  holds(run: string): boolean | undefined {
    const work = this.#works.get(run);
    return work === undefined ? undefined : work.done >= work.needs;
  }

  /** Undefined: the turn continues, with `session`. */
  async begin(
    process: Process,
    { run, input }: CommandRequest,
    context: CommandContext,
    ports: TurnPorts,
  ): Promise<{ readonly session: string; readonly spent: () => Promise<void> } | AttemptOutcome> {
    const { resume, tree = 1, project, budget } = input as unknown as AttemptInput;
    const work = this.#workOf(run, tree);
    if (typeof resume === 'string' && this.#strikes('session-corrupt')) {
      const message = 'the conversation can not be read';
      return { kind: 'failed', reason: 'crashed', message, session: null, exit: 1 };
    }
    const session = typeof resume === 'string' ? resume : `s${process.pid}`;
    await context.note({ kind: 'session', session });
    // It was killed while the note waited for the disk: its owner may have closed the journal
    // since.
    if (process.diedOrder !== null) return { kind: 'stopped' };
    ports.deeds.publish(run, { kind: 'turn-begun', folder: `${project}/${work.tree}` });
    const spending = new SpendingRecorder((note) => context.note({ ...note }));
    const { pools: budgets } = await ports.budgetsForRun(run, project, budget);
    const reservation = await reserveIn(budgets, WISH, ports.clock, context.cancelSignal);
    if (reservation.kind === 'called-off') return { kind: 'stopped' };
    if (reservation.kind === 'exhausted') {
      const { limit, because, pool } = reservation;
      const cap = effectiveCap(budget[pool.scope], limit) ?? 0;
      const over: BudgetNote = { kind: 'over-budget', scope: pool.scope, limit, because, cap };
      await context.note({ ...over });
      return { kind: 'failed', reason: 'budget', message: 'its budget is spent', session };
    }
    await spending.begin(CALL, COST);
    return { session, spent: this.#settling(process, reservation, spending) };
  }

  /** Repeats the same activity until it is ended. False: it does not spin. */
  spins(process: Process, run: RunId, { deeds }: TurnPorts): boolean {
    if (!this.#strikes('agent-spins')) return false;
    const again = (): void => {
      if (process.diedOrder !== null) return;
      deeds.publish(run, { kind: 'call', call: 'grep -r nothing .' });
      this.#clock.after(SPIN_EVERY_MS, again);
    };
    again();
    return true;
  }

  /** One turn of progress. The report of the agent may differ. */
  complete(run: RunId, session: string, { deeds }: TurnPorts): AttemptOutcome {
    deeds.publish(run, { kind: 'turn-ended' });
    const work = this.#workOf(run);
    work.done += 1;
    const output = readTurnNotes(`${this.#note()}${this.#claim(work)}`);
    return { kind: 'completed', summary: 'a turn', session, turnNotes: output };
  }

  /** A call that is cut off costs its maximum, and other calls on the same budget wait for it. */
  ended({ pid }: Process): void {
    this.#calls.get(pid)?.();
  }

  #claim({ done, needs }: Work): string {
    if (this.#strikes('agent-aborts')) return '{"status":"abort","reason":"it makes no sense"}';
    if (this.#strikes('agent-silent')) return 'I have had a look around.';
    if (done >= needs) return 'DONE';
    if (this.#strikes('agent-lies')) return 'DONE';
    return this.#random() < this.#scenario.waits ? '{"status":"waiting"}' : 'There is more to do.';
  }

  #note(): string {
    return this.#random() < this.#scenario.notes ? `NOTE: ${this.#clock.elapsedMs}\n` : '';
  }

  #settling(
    { pid }: Process,
    reservation: Reservation,
    spending: SpendingRecorder,
  ): () => Promise<void> {
    this.#calls.set(pid, () => {
      this.#calls.delete(pid);
      reservation.settle(COST);
      spending.end(CALL, COST);
    });
    return async () => {
      this.#calls.get(pid)?.();
      await spending.recorded();
    };
  }

  #workOf(run: string, tree?: number): Work {
    const before = this.#works.get(run);
    const work = before ?? { needs: randomInt(this.#random, 1, TURNS_MAX), tree: 1, done: 0 };
    this.#works.set(run, work);
    // Work in a discarded tree is gone.
    if (tree !== undefined && tree !== work.tree) Object.assign(work, { tree, done: 0 });
    return work;
  }

  #strikes(fault: TurnFault): boolean {
    const strikes = this.#random() < this.#scenario.faults[fault];
    if (strikes) this.#happened(fault);
    return strikes;
  }
}
