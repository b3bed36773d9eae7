/**
 * Drives one run: asks its program for moves, records `begun`, performs them, records `ended`, and
 * asks again. Every change of the run passes through `#inTurn`, one at a time, so a fact is always
 * folded before the next decision. The driver remembers nothing that is not in the journal.
 */
import type { Instant } from '../../base/clock.ts';
import { at } from '../../base/clock.ts';
import type { Refusal } from '../../base/errors.ts';
import { describeError, isRefusal } from '../../base/errors.ts';
import type { CommandKey, RunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { Random } from '../../base/random.ts';
import { Serial } from '../../base/serial.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type { Signal } from '../../protocol/signal.ts';
import { diskFull } from '../../store/journal-refusals.ts';
import type { CommandNoted } from '../../protocol/commands.ts';
import type { OpenLedgerCommand } from '../ledger.ts';
import { hasOpenChild } from '../ledger.ts';
import type { LimitPool } from '../limits.ts';
import type { Performer } from '../performer.ts';
import type { Move, PerformMove, Program } from '../program.ts';
import type { ChildRuns } from './child-runs.ts';
import type { LoadedRun } from './load-run.ts';
import { beginAllFacts, endedFact, isPerformed, performKeys } from './begin-facts.ts';
import type { Decided } from './decisions.ts';
import { Decisions } from './decisions.ts';
import { LivelockError, Pace } from './pace.ts';
import { RunningCommand } from './running-command.ts';
import type { Others, RecordPorts, Results } from './run-record.ts';
import { RunSlots } from './run-slots.ts';
import { RunRecord } from './run-record.ts';
import { engineClosed, runHalted } from './engine-refusals.ts';
import { signalFacts } from './signal-facts.ts';

export type DriverPorts = RecordPorts & {
  readonly random: Random;
  readonly performers: ReadonlyMap<string, Performer>;
  readonly limits: LimitPool;
  readonly children: ChildRuns;
  /** There is nothing more to drive: the run ended, or it broke and its last command has ended. */
  readonly onGone: (run: RunId) => void;
  /** The run can't continue in this process, because of our bug or a broken journal. */
  readonly onDefect: (run: RunId, error: unknown) => void;
};

export class RunDriver {
  readonly run: RunId;
  readonly #program: Program<Json>;
  readonly #ports: DriverPorts;
  readonly #record: RunRecord;
  readonly #performing = new Map<CommandKey, RunningCommand>();
  readonly #slots: RunSlots;
  readonly #decisions: Decisions;
  readonly #pace: Pace;
  readonly #closed = new AbortController();
  #broken = false;
  readonly #serial = new Serial();

  constructor(run: RunId, program: Program<Json>, folded: LoadedRun, ports: DriverPorts) {
    this.run = run;
    this.#program = program;
    this.#record = new RunRecord(run, program, folded, ports);
    this.#slots = new RunSlots(run, ports.limits);
    this.#decisions = new Decisions(run, program, this.#slots, ports);
    this.#pace = new Pace(ports.clock);
    this.#ports = ports;
  }

  get performing(): number {
    return this.#performing.size;
  }

  /** Whether the journal has the end of the run. */
  get hasEnded(): boolean {
    return this.#record.folded.ledger.ended;
  }

  /** The child runs that have begun and not ended. */
  get openChildren(): readonly RunId[] {
    const { open } = this.#record.folded.ledger;
    return open.flatMap(({ child }) => (child === undefined ? [] : [child.run as RunId]));
  }

  get isPaused(): boolean {
    return this.#record.folded.ledger.paused;
  }

  get isBroken(): boolean {
    return this.#broken;
  }

  /** Takes back the slots that the run had when its last owner ended. Call it before any run asks for a slot. */
  reclaim(): void {
    const { ledger, seq } = this.#record.folded;
    // The open commands at the first fact of a fork belong to the other run.
    const interrupted = seq === 1 ? [] : ledger.open.filter((one) => isPerformed(one));
    this.#slots.reclaim(
      ledger.counted,
      interrupted.flatMap(({ limits }) => limits),
    );
  }

  /** Resumes a run after its owner died or was closed. Commands that were running then are recorded as interrupted. */
  async resume(): Promise<void> {
    await this.#inTurn(async () => {
      this.#slots.resumed();
      const { ledger, seq } = this.#record.folded;
      // Only a fork has open commands at its first fact. They are running in the other run.
      const interrupted = ledger.open.filter(
        (one) => isPerformed(one) || (seq === 1 && one.child === undefined),
      );
      const isFork = seq === 1 && hasOpenChild(ledger.open);
      const carried = isFork ? await this.#ports.children.carryOver(this.run, ledger.open) : [];
      await this.#write([
        ...interrupted.map((one) => endedFact(one, { kind: 'interrupted' })),
        ...carried,
      ]);
      if (this.#isClosed()) return;
      for (const { key, until, child, cancelled } of this.#record.folded.ledger.open) {
        if (until !== null) this.#sleep(key, until);
        if (child === undefined) continue;
        this.#followChild(key);
        if (cancelled !== null) this.#performing.get(key)?.cancel(cancelled);
      }
      await this.#advance();
    });
  }

  /** Carries out what a new run begins with. It was written with the run's first fact. */
  async begin(moves: readonly Move[]): Promise<void> {
    await this.#inTurn(async () => moves.forEach((move) => this.#carryOut(move)));
  }

  /** Asks the program again, since something outside the run has changed. */
  async poke(): Promise<void> {
    await this.#inTurn(() => this.#advance());
  }

  async signal(signal: Signal, request?: RequestMark): Promise<void> {
    if (this.#record.isHolding) throw diskFull();
    const answer = await this.#inTurn(() => this.#recordSignal(signal, request));
    if (answer === undefined) throw this.#broken ? runHalted(this.run) : engineClosed();
    if (answer !== 'recorded') throw answer;
    void this.poke().catch(() => undefined); // the signal is durable, whatever comes of it
  }

  /** Cancels the running commands and writes nothing more. In the journal this looks as if the owner had died. */
  async close(): Promise<void> {
    this.#closed.abort();
    for (const command of this.#performing.values()) command.cancel('kill');
    await Promise.allSettled([...this.#performing.values()].map(({ settled }) => settled));
    await this.#serial.idle();
  }

  async #recordSignal(signal: Signal, request?: RequestMark): Promise<Refusal | 'recorded'> {
    const answer = signalFacts(this.run, this.#record.folded.ledger, signal, request);
    if (answer.kind === 'refused') return answer.refusal;
    try {
      await this.#record.tryAdd(answer.facts);
    } catch (error) {
      if (isRefusal(error, 'store.full')) return error; // a person waits for the response
      throw error;
    }
    for (const key of answer.ends) this.#performing.get(key)?.cancel('kill');
    return 'recorded';
  }

  /**
   * Decides until there is nothing new to do. `unwritten` is written with the facts of the first decision, in one
   * commit: a crash loses both or neither.
   */
  async #advance(unwritten: readonly NewRunEvent[] = []): Promise<void> {
    for (let before = unwritten; ; before = []) {
      if (this.#record.folded.ledger.ended || this.#isClosed()) return;
      const now = this.#ports.clock.now();
      let decided: Decided;
      try {
        decided = this.#decisions.decide(this.#record.ahead(before, now), now);
        if (decided.admitted.length > 0 && !(await this.#pace.allows()))
          throw new LivelockError(this.#program.name, this.run);
      } catch (error) {
        await this.#write(before); // what has ended has ended, whatever the program makes of it
        throw error;
      }
      const { admitted, ledger } = decided;
      if (this.#isClosed()) return;
      const facts = beginAllFacts(this.run, admitted, ledger);
      const { depth } = this.#record.folded.ledger;
      const born = await this.#ports.children.begin({ parent: this.run, depth, facts }, (others) =>
        this.#write([...before, ...facts], now, others),
      );
      if (admitted.length === 0) return this.#rest(decided);
      if (this.#isClosed()) return; // closed during the write: the next owner records it as interrupted
      for (const move of admitted) this.#carryOut(move, born);
    }
  }

  /** Nothing begins now: the run waits for something, and may give up slots meanwhile. */
  #rest({ ledger, requested, moves }: Decided): void {
    const isParked = requested.some(({ kind }) => kind === 'park');
    const isIdle = isParked ? ledger.open.length === 0 : ledger.counted.length === 0;
    // A child may need a slot that this run holds while it waits for another one.
    const waitsForSlot = performKeys(moves).length > 0 && !hasOpenChild(ledger.open);
    if (isIdle && !waitsForSlot) this.#slots.release();
    else if (!ledger.open.some((one) => isPerformed(one))) this.#slots.giveUpKept();
    if (!isParked) this.#checkNotStuck(moves);
  }

  /** Invariant: every wait has an end time or a person who ends it. A run that waits for nothing waits for ever. */
  #checkNotStuck(moves: readonly Move[]): void {
    const waitsForSlot = moves.some(({ kind }) => kind === 'perform');
    const { open, paused } = this.#record.folded.ledger;
    if (waitsForSlot || open.length > 0 || paused) return;
    throw new Error(
      `${this.#program.name} leaves run ${this.run} without a move, an open command or an end`,
    );
  }

  /** Carries out a move that is already recorded. */
  #carryOut(move: Move, born?: ReadonlySet<CommandKey>): void {
    switch (move.kind) {
      case 'perform':
        return this.#perform(move);
      case 'wait':
        return this.#sleep(move.key, move.until);
      case 'ask':
        if (move.until !== undefined) this.#sleep(move.key, move.until);
        return;
      case 'run':
        return this.#followChild(move.key, born?.has(move.key));
      case 'cancel':
        this.#performing.get(move.key)?.cancel(move.how);
        return;
      case 'finish':
        return this.#gone();
      case 'park':
        return;
    }
  }

  #perform({ key, command, input }: PerformMove): void {
    const performer = this.#ports.performers.get(command);
    const work = new RunningCommand(
      async (context) => {
        if (performer === undefined) throw new Error(`no performer for ${command}`);
        return performer.perform({ run: this.run, key, input }, context);
      },
      (note) => this.#note({ key, command, note } as CommandNoted), // typed in the performer
    );
    this.#begin(key, work);
    this.#slots.started(key, this.#ports.clock.now());
  }

  /** Never rejects: a performer that does not wait for its note must not bring the owner down. */
  async #note(payload: CommandNoted): Promise<void> {
    const noted = this.#inTurn(async () => {
      if (this.#findOpen(payload.key) !== undefined)
        await this.#write([{ type: 'command.noted', payload }]);
    });
    await noted.catch(() => undefined); // #inTurn has called onDefect already
  }

  /** A question that is answered before is no longer open, so its timer records nothing. */
  #sleep(key: CommandKey, until: number): void {
    const { clock } = this.#ports;
    const result = this.#findOpen(key)?.command === 'ask' ? { timedOut: true as const } : {};
    const timer = new RunningCommand(async ({ cancelSignal }) => {
      await clock.sleepUntil(at(until), cancelSignal);
      return result;
    });
    this.#begin(key, timer);
  }

  /** A child that was refused has ended already. */
  #followChild(key: CommandKey, isNew = false): void {
    const { ledger } = this.#record.folded;
    const input = this.#findOpen(key)?.child;
    if (input === undefined) return;
    const isPaused = (): boolean => this.isPaused;
    const command = { parent: this.run, key, depth: ledger.depth + 1, input, isNew, isPaused };
    const { children } = this.#ports;
    this.#begin(
      key,
      new RunningCommand((context) => children.follow(command, context, this.#closed.signal)),
    );
  }

  #begin(key: CommandKey, command: RunningCommand): void {
    this.#performing.set(key, command);
    void this.#recordEnd(key, command)
      .catch(() => undefined) // #inTurn has called onDefect already
      .finally(() => this.#removeCommand(key));
  }

  async #recordEnd(key: CommandKey, command: RunningCommand): Promise<void> {
    const end = await command.settled;
    await this.#inTurn(async () => {
      const open = this.#findOpen(key);
      if (open === undefined) return;
      const ended = endedFact(open, end);
      // A slot is free for other runs only after the record says so.
      const holdsSlot = open.limits.length > 0;
      if (holdsSlot) await this.#write([ended]);
      this.#removeCommand(key);
      await this.#advance(holdsSlot ? [] : [ended]);
    });
  }

  #removeCommand(key: CommandKey): void {
    this.#performing.delete(key);
    this.#slots.ended(key);
    if (this.#broken && this.#performing.size === 0) this.#gone();
  }

  #gone(): void {
    this.#slots.release();
    this.#ports.onGone(this.run);
  }

  #findOpen(key: string): OpenLedgerCommand | undefined {
    return this.#record.folded.ledger.open.find((one) => one.key === key);
  }

  #write(events: readonly NewRunEvent[], at?: Instant, others?: Others): Promise<Results> {
    return this.#record.add(events, this.#closed.signal, at, others);
  }

  #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Runs one piece of work at a time. After `close` it runs none. A throw inside ends this driver. */
  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    return this.#serial.run(async () => {
      if (this.#isClosed()) return undefined;
      try {
        return await work();
      } catch (error) {
        if (this.#isClosed()) return undefined;
        this.#break(error);
        throw error;
      }
    });
  }

  /** Decides and writes nothing more. Cancels the running commands and frees their slots. */
  #break(error: unknown): void {
    this.#broken = true;
    this.#closed.abort();
    this.#slots.forgetWaiters([]);
    this.#slots.withdraw();
    this.#slots.giveUpKept();
    for (const command of this.#performing.values()) command.cancel('kill');
    const defect = new Error(`run ${this.run}: ${describeError(error)}`, { cause: error });
    this.#ports.onDefect(this.run, defect);
    if (this.#performing.size === 0) this.#gone();
  }
}
