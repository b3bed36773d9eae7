/**
 * Drives one run: asks its program what should be, writes it down, has it done, writes that down,
 * asks again. Everything that changes the run passes one at a time through `#inTurn`, so a fact is
 * always folded before the next decision. It remembers nothing that is not in the journal.
 */
import type { Clock } from '../../base/clock.ts';
import { at, sleep } from '../../base/clock.ts';
import { Refusal, describeError, isRefusal } from '../../base/errors.ts';
import type { CommandKey, RunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { Luck } from '../../base/luck.ts';
import type { NewEvent, Signal } from '../../protocol/event.ts';
import { runStream } from '../../protocol/event.ts';
import type { Journal } from '../../store/journal.ts';
import { freshMoves } from '../ledger.ts';
import type { LimitBook } from '../limits.ts';
import type { Performer } from '../performer.ts';
import type { Move, Program } from '../program.ts';
import type { Folded } from './load-run.ts';
import { ended, factsOf, isPerformed } from './facts.ts';
import { foldEvent, snapshotMaker } from './load-run.ts';
import { Performance } from './performance.ts';

export type DriverPorts = {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly luck: Luck;
  readonly performers: ReadonlyMap<string, Performer>;
  readonly limits: LimitBook;
  readonly snapshotEvery: number;
  /** Under some limit a command started, ended, found no room or gave up: others may start now. */
  readonly onLineMoved: () => void;
  readonly onEnded: (run: RunId) => void;
  /** The run can't go on in this process: our bug, or a journal that broke. */
  readonly onDefect: (run: RunId, error: unknown) => void;
};

/** No program has reason for more decisions in a row with nothing performed in between. */
const DECISIONS_MAX = 1000;
const FULL_DISK_RETRY_MS = 1000;

export class RunDriver {
  readonly run: RunId;
  readonly #program: Program<Json>;
  readonly #ports: DriverPorts;
  readonly #performing = new Map<CommandKey, Performance>();
  readonly #closed = new AbortController();
  #folded: Folded;
  #turn: Promise<void> = Promise.resolve();

  constructor(run: RunId, program: Program<Json>, folded: Folded, ports: DriverPorts) {
    this.run = run;
    this.#program = program;
    this.#folded = folded;
    this.#ports = ports;
  }

  get performing(): number {
    return this.#performing.size;
  }

  /** Takes a run up after its owner died or was closed: what it performed then is lost. */
  async resume(): Promise<void> {
    await this.#inTurn(async () => {
      const { ledger, seq } = this.#folded;
      const isFork = seq === 1 && ledger.open.length > 0; // its waits and questions are the other run's
      const lost = ledger.open.filter((one) => isFork || isPerformed(one));
      await this.#record(lost.map(({ key }) => ended(key, { kind: 'lost' })));
      for (const { key, until } of this.#folded.ledger.open)
        if (until !== null) this.#sleep(key, until);
      await this.#advance();
    });
  }

  /** Asks the program again, since something outside the run has changed. */
  async poke(): Promise<void> {
    await this.#inTurn(() => this.#advance());
  }

  async signal(signal: Signal): Promise<void> {
    const answer = await this.#inTurn(async () => {
      const { ledger } = this.#folded;
      if (ledger.ended) return alreadyEnded(this.run);
      const answered =
        signal.kind === 'answer' ? ledger.open.find(({ key }) => key === signal.key) : undefined;
      if (signal.kind === 'answer' && answered?.command !== 'ask')
        return noQuestion(this.run, signal.key);
      const over = ledger.open.filter(
        (one) => one === answered || (signal.kind === 'retry-now' && one.until !== null),
      );
      const result = signal.kind === 'answer' ? { answer: signal.answer } : { skipped: true };
      await this.#record([
        { type: 'signal.received', payload: { signal } },
        ...over.map(({ key }) => ended(key, { kind: 'done', result })),
      ]);
      for (const { key } of over) this.#release(key);
      await this.#advance();
      return 'taken';
    });
    if (answer !== 'taken') throw answer ?? closing(this.run);
  }

  /** Calls off what is performed and writes nothing more: to the journal it looks like a death. */
  async close(): Promise<void> {
    this.#closed.abort();
    for (const performance of this.#performing.values()) performance.cancel('kill');
    await Promise.allSettled([...this.#performing.values()].map(({ settled }) => settled));
    await this.#turn;
  }

  /** Decides until there is nothing new to do. */
  async #advance(): Promise<void> {
    for (let decision = 0; decision < DECISIONS_MAX; decision += 1) {
      const { state, ledger } = this.#folded;
      if (ledger.ended) return;
      const { clock, luck } = this.#ports;
      const moves = freshMoves(ledger, this.#program.next(state, clock.now(), luck()));
      const admitted = moves.filter((move) => this.#admitted(move));
      this.#forgetWaiters(moves);
      const doing = admitted.filter(({ kind }) => kind !== 'finish');
      const finish = admitted.find(({ kind }) => kind === 'finish');
      if (admitted.length < moves.length) this.#ports.onLineMoved();
      if (doing.length === 0 && finish === undefined) return this.#checkNotStuck(moves);
      if (finish !== undefined && (doing.length > 0 || ledger.open.length > 0)) {
        throw new Error(`${this.#program.name} finishes run ${this.run} while something is open`);
      }
      await this.#record(admitted.flatMap((move) => factsOf(move, ledger)));
      if (this.#isClosed()) return; // closed while it was written: to be taken up as lost
      for (const move of admitted) this.#act(move);
    }
    throw new Error(`${this.#program.name} decides without end in run ${this.run}`);
  }

  /** Only performing counts against limits; a command without room is simply not begun yet. */
  #admitted(move: Move): boolean {
    if (move.kind !== 'perform') return true;
    return this.#ports.limits.admit(
      this.#token(move.key),
      move.limits ?? [],
      this.#ports.clock.now(),
    );
  }

  #forgetWaiters(moves: readonly Move[]): void {
    const wanted = new Set(
      moves.flatMap((move) => (move.kind === 'perform' ? [this.#token(move.key)] : [])),
    );
    const left = this.#ports.limits
      .waiting()
      .filter((token) => token.startsWith(`${this.run}/`) && !wanted.has(token));
    for (const token of left) this.#ports.limits.forget(token);
    if (left.length > 0) this.#ports.onLineMoved(); // room may have been kept for it
  }

  #token(key: CommandKey): string {
    return `${this.run}/${key}`;
  }

  /** Invariant: every wait has a bound or a person. A run that waits for nothing would wait for ever. */
  #checkNotStuck(moves: readonly Move[]): void {
    const waitsForRoom = moves.some(({ kind }) => kind === 'perform');
    if (waitsForRoom || this.#folded.ledger.open.length > 0) return;
    throw new Error(`${this.#program.name} leaves run ${this.run} with nothing to do and no end`);
  }

  /** Carries out what is already written down. */
  #act(move: Move): void {
    switch (move.kind) {
      case 'perform':
        return this.#perform(move);
      case 'wait':
        return this.#sleep(move.key, move.until);
      case 'ask':
        return;
      case 'cancel':
        this.#performing.get(move.key)?.cancel(move.how);
        return;
      case 'finish':
        return this.#ports.onEnded(this.run);
    }
  }

  #perform({ key, command, input, limits = [] }: Extract<Move, { kind: 'perform' }>): void {
    const performer = this.#ports.performers.get(command);
    const work = new Performance(
      async (errand) => {
        if (performer === undefined) throw new Error(`nobody here performs ${command}`);
        return performer.perform({ run: this.run, key, input }, errand);
      },
      (note) =>
        this.#inTurn(() => this.#record([{ type: 'command.noted', payload: { key, note } }])),
    );
    this.#begin(key, work, limits);
    if (limits.length > 0) {
      this.#ports.limits.started(limits, this.#ports.clock.now());
      this.#ports.onLineMoved();
    }
  }

  #sleep(key: CommandKey, until: number): void {
    const { clock } = this.#ports;
    const nap = new Performance(async ({ asked }) => {
      await clock.sleepUntil(at(until), asked);
      return {};
    });
    this.#begin(key, nap, []);
  }

  #begin(key: CommandKey, performance: Performance, limits: readonly string[]): void {
    this.#performing.set(key, performance);
    const finish = async (): Promise<void> => {
      const end = await performance.settled;
      await this.#inTurn(async () => {
        this.#performing.delete(key);
        this.#ports.limits.ended(limits);
        if (this.#folded.ledger.open.some((one) => one.key === key)) {
          await this.#record([ended(key, end)]);
          await this.#advance();
        }
      });
      if (limits.length > 0) this.#ports.onLineMoved();
    };
    void finish().catch(() => undefined); // #inTurn has told onDefect already
  }

  #release(key: CommandKey): void {
    this.#performing.get(key)?.cancel('kill');
  }

  async #record(events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { journal, clock, snapshotEvery } = this.#ports;
    const stream = runStream(this.run);
    for (;;) {
      try {
        const stored = await journal.append(stream, this.#folded.seq, events, clock.now());
        for (const event of stored) this.#folded = foldEvent(this.#program, this.#folded, event);
        break;
      } catch (error) {
        // A full disk is the user's to mend; the run holds still and goes on when there is room.
        if (!isRefusal(error, 'store.full') || this.#isClosed()) throw error;
        await sleep(clock, FULL_DISK_RETRY_MS, this.#closed.signal);
      }
    }
    const { seq } = this.#folded;
    const due = Math.floor(seq / snapshotEvery) > Math.floor((seq - events.length) / snapshotEvery);
    if (due) await this.#saveSnapshot();
  }

  async #saveSnapshot(): Promise<void> {
    const { seq, state, ledger } = this.#folded;
    const maker = snapshotMaker(this.#program);
    try {
      const kept = { state, ledger } as unknown as Json;
      await this.#ports.journal.saveSnapshot(runStream(this.run), { maker, seq, state: kept });
    } catch (error) {
      if (!isRefusal(error, 'store.full')) throw error; // only a cache: the next one will do
    }
  }

  #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** One thing at a time. After `close` nothing is taken in; a throw inside ends this driver. */
  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    const mine = this.#turn.then(async () => {
      if (this.#isClosed()) return undefined;
      try {
        return await work();
      } catch (error) {
        if (this.#isClosed()) return undefined;
        this.#closed.abort();
        this.#forgetWaiters([]);
        this.#ports.onDefect(
          this.run,
          new Error(`run ${this.run}: ${describeError(error)}`, { cause: error }),
        );
        throw error;
      }
    });
    this.#turn = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }
}

export function alreadyEnded(run: RunId): Refusal {
  return new Refusal({
    code: 'run.already-ended',
    message: `Run ${run} has already ended.`,
    hint: `See how it ended with: supervisor status ${run}`,
  });
}

function closing(run: RunId): Refusal {
  return new Refusal({
    code: 'owner.unreachable',
    message: `The owner of run ${run} is closing and takes no more signals.`,
    hint: 'Send it again to the next owner.',
  });
}

function noQuestion(run: RunId, key: string): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${run} has no open question ${JSON.stringify(key)}.`,
    hint: `See what it waits for with: supervisor status ${run}`,
  });
}
