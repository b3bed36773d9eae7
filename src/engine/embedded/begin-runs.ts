/** Begins runs: writes their first facts, and drives them when these are durable. */
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { newRunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { Random } from '../../base/random.ts';
import { retryWhileDiskFull } from '../../base/retry-while-disk-full.ts';
import type { ChildInput, ParentLink } from '../../protocol/child-run.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import type { OnCreated } from '../engine.ts';
import type { Move, Program } from '../program.ts';
import type { NewRun } from './child-runs.ts';
import { engineClosed } from './engine-refusals.ts';
import type { FirstFact } from './first-fact.ts';
import { childFact, submittedFact } from './first-fact.ts';
import { foldOpening, openRun } from './first-moves.ts';
import type { LoadedRun } from './load-run.ts';
import type { RunDriver } from './run-driver.ts';

export type BeginRunsPorts = {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  readonly findProgram: (name: string) => Program<Json>;
  /** The engine is closed. */
  readonly closed: AbortSignal;
  /** Empty if the engine is closed: then the next owner drives the run. */
  readonly drive: (
    run: RunId,
    program: Program<Json>,
    folded: LoadedRun,
  ) => readonly Pick<RunDriver, 'begin' | 'resume'>[];
  /** A run was started by another one. Called before anything of it is performed. */
  readonly onChild?: (child: RunId, parent: RunId) => void;
};

export class BeginRuns {
  readonly #ports: BeginRunsPorts;
  /** Runs whose first fact is being written. Other readers may see it before the run is driven here. */
  readonly #creating = new Map<RunId, Promise<void>>();

  constructor(ports: BeginRunsPorts) {
    this.#ports = ports;
  }

  /** Resolves when the run is driven, if it is being created. */
  async created(run: RunId): Promise<void> {
    await this.#creating.get(run);
  }

  /** `id`: the id of a child run. Absent: a new one. */
  async create(fact: FirstFact, onCreated?: OnCreated, id?: RunId): Promise<RunId> {
    const { journal, clock, random, closed } = this.#ports;
    if (closed.aborted) throw engineClosed();
    let run = id ?? newRunId(random);
    while (run !== id && (await journal.lastSeq(runStream(run))) > 0) run = newRunId(random);
    const created = Promise.withResolvers<void>();
    this.#creating.set(run, created.promise);
    try {
      const now = clock.now();
      const { events, moves } = openRun(run, fact, now, random);
      const stored = await journal.append(runStream(run), 0, events, now);
      onCreated?.(run);
      this.#driveNew(run, fact, moves, stored);
    } finally {
      this.#creating.delete(run);
      created.resolve();
    }
    return run;
  }

  /** Its first facts are durable. */
  #driveNew(
    run: RunId,
    fact: FirstFact,
    moves: readonly Move[],
    stored: readonly RunEvent[],
  ): void {
    for (const driver of this.#ports.drive(run, fact.program, foldOpening(fact, stored)))
      void (moves.length > 0 ? driver.begin(moves) : driver.resume()).catch(() => undefined);
  }

  async createChild(run: RunId, input: ChildInput, parent: ParentLink): Promise<void> {
    const { clock, onChild, closed } = this.#ports;
    const program = this.#ports.findProgram(input.submission.program);
    const fact = await childFact(this.#ports, program, input, parent);
    const announce = (): void => onChild?.(run, parent.run as RunId);
    await retryWhileDiskFull(clock, closed, () => this.create(fact, announce, run));
  }

  /** The run is known as one that is being created until its parent's append has settled. */
  prepareChild(run: RunId, { submission }: ChildInput, parent: ParentLink): NewRun {
    const linked = { ...submission, parent };
    const fact = submittedFact(this.#ports.findProgram(submission.program), linked);
    const { clock, random } = this.#ports;
    const { events, moves } = openRun(run, fact, clock.now(), random);
    const created = Promise.withResolvers<void>();
    this.#creating.set(run, created.promise);
    return {
      append: { stream: runStream(run), lastSeq: 0, events },
      written: (stored) => {
        this.#ports.onChild?.(run, parent.run as RunId);
        this.#driveNew(run, fact, moves, stored);
      },
      settled: () => {
        this.#creating.delete(run);
        created.resolve();
      },
    };
  }
}
