/**
 * A machine without processes: commands take virtual time and die with their owner. It knows which
 * of them are really alive, which no journal can show.
 */
import type { Json } from '../../../src/base/json.ts';
import type { Random } from '../../../src/base/random.ts';
import { randomInt, randomItem } from '../../../src/base/random.ts';
import type { CommandContext, CommandRequest, Performer } from '../../../src/engine/performer.ts';
import type { Ends, AgentBehaviour } from './agent-work.ts';
import { AgentWork } from './agent-work.ts';
import { spawnProcess } from './spawning.ts';
import type { FactReader } from './fact-reader.ts';
import type { Process } from './record.ts';
import type { AgentFault, Scenario } from './scenario.ts';
import { BACKGROUND_COMMANDS, BackgroundWork, CONTENTS } from './background-work.ts';
import type { TurnFault } from './agents-scenario.ts';
import type { AttemptTree, TreesOwner } from './trees-owner.ts';
import type { TurnPorts } from './turns.ts';
import { Turns } from './turns.ts';
import type { ClockOwner, WorldClock } from './world-clock.ts';
import type {
  AttemptInput,
  AttemptOutcome,
} from '../../../src/protocol/contracts/attempt-contract.ts';
import type { LooseContext } from '../../support/run-event.ts';

export type MachineWitness = {
  readonly onRecord: FactReader['onRecord'];
  happened(fault: AgentFault | TurnFault): void;
  noted(run: string, key: string): void;
  /** An error was thrown here. */
  readonly broke: (error: unknown) => void;
};

export type OwnerProcess = ClockOwner & {
  readonly number: number;
  /**
   * Another owner has opened the state: writes of this one are refused, and its errors are no bugs.
   */
  isSuperseded: boolean;
};

/**
 * What an owner provides for long-lived agents and for trees; undefined in a world without them.
 */
export type OwnerHas = {
  readonly turns: TurnPorts | undefined;
  readonly trees: TreesOwner | undefined;
};

export class VirtualMachine {
  readonly processes: Process[] = [];
  readonly work: AgentWork;
  readonly #clock: WorldClock;
  readonly #random: Random;
  readonly #witness: MachineWitness;
  readonly #side: BackgroundWork;
  /** Undefined: no long-lived agents here. */
  readonly #turns: Turns | undefined;
  readonly #spends: boolean;
  #order = 0;

  constructor(
    clock: WorldClock,
    random: Random,
    { agentFaults: likely, agents, spends }: Pick<Scenario, 'agentFaults' | 'agents' | 'spends'>,
    witness: MachineWitness,
  ) {
    this.#clock = clock;
    this.#random = random;
    this.#witness = witness;
    this.#spends = spends === true;
    this.work = new AgentWork({
      clock,
      random,
      likely,
      happened: (fault) => witness.happened(fault),
      note: (process, context, fact) => this.#note(process, context, fact),
    });
    this.#side = new BackgroundWork(clock, random, (fault) => {
      const strikes = random() < likely[fault];
      if (strikes) witness.happened(fault);
      return strikes;
    });
    const happened = (fault: TurnFault): void => witness.happened(fault);
    this.#turns = agents === null ? undefined : new Turns(clock, random, agents, happened);
  }

  get alive(): readonly Process[] {
    return this.processes.filter(({ diedOrder }) => diedOrder === null);
  }

  performer(command: string, life: OwnerProcess, has: OwnerHas): Performer {
    const perform = (
      request: CommandRequest,
      context: CommandContext,
    ): Promise<Record<string, Json>> => this.#perform(command, life, request, context, has);
    return { command, perform } as unknown as Performer; // its results are typed where they are made
  }

  /** A real performer whose execution is recorded like any other. It takes up to `slowMs`. */
  watched(real: Performer, life: OwnerProcess, slowMs = 0): Performer {
    const { command } = real;
    return {
      command,
      perform: async (request, context) => {
        if (!life.alive) return never();
        const process = this.#startProcess(command, life, request, false);
        if (slowMs > 0) await this.#clock.lasts(randomInt(this.#random, 0, slowMs));
        const settled = await Promise.allSettled([real.perform(request, context)]);
        if (process.diedOrder !== null) return never(); // with its owner
        this.#bury(process);
        const [end] = settled;
        if (end.status === 'rejected') throw end.reason;
        return end.value;
      },
    };
  }

  /** Kills everything that this owner started: by its reaper, or by the sweep of the next owner. */
  reap(owner: number): void {
    for (const process of this.alive) if (process.owner === owner) this.#bury(process);
  }

  #perform(
    command: string,
    life: OwnerProcess,
    request: CommandRequest,
    context: CommandContext,
    { turns: ports, trees }: OwnerHas,
  ): Promise<Record<string, Json>> {
    if (!life.alive) return never(); // a dead owner starts nothing
    const { run, input } = request;
    const behaviour = this.work.drawTemper();
    const process = this.#startProcess(
      command,
      life,
      request,
      behaviour.faults.has('agent-endless'),
    );
    return new Promise((resolve, reject) => {
      let tree: AttemptTree | undefined;
      const bury = (settle: () => void): void => {
        if (process.diedOrder !== null) return;
        this.#bury(process);
        settle();
      };
      const over = (settle: () => void): void => {
        if (process.diedOrder !== null) return;
        const saved = tree?.keep(context) ?? null;
        tree = undefined;
        if (saved === null) bury(settle);
        else saved.then(() => bury(settle), this.#witness.broke);
      };
      const end = (outcome: Record<string, Json>): void => over(() => resolve(outcome));
      const side = BACKGROUND_COMMANDS.find((one) => one === command);
      if (side !== undefined) {
        const finalize = (): Promise<void> =>
          trees?.finalize(request, context) ?? Promise.resolve();
        const [holds, hasTrees] = [this.#turns?.holds(run), trees !== undefined];
        this.#side.perform(side, input, context, end, { holds, hasTrees, finalize });
        return;
      }
      const fail = (error: Error): void => over(() => reject(error));
      this.#heed(process, behaviour, input, context, end);
      const spends = command === 'attempt' && this.#spends;
      const spent = { kind: 'spent', settled: [], tokens: 10, usd: 0.5, calls: 1 };
      const note = (): Promise<void> =>
        this.#note(process, context, spends ? spent : { pid: process.pid });
      const ends = { end, fail };
      const isTurn = 'readsNotes' in input && input.readsNotes && ports !== undefined;
      const hasTree = command === 'attempt' && 'project' in input;
      void note()
        .then(async () => {
          // It was killed while its note waited for the disk: its owner may have closed the journal
          // since.
          if (process.diedOrder !== null) return;
          const given = hasTree ? await trees?.begin(process, request) : undefined;
          if (given !== undefined && 'kind' in given) return end(given);
          tree = given;
          const write = given?.write;
          return isTurn
            ? this.#turn(process, behaviour, request, context, { ...ends, write, ports })
            : this.work.begin(process, behaviour, input, context, {
                ...{ ...ends, write, session: 's' },
                complete: () =>
                  void this.#leave(process, context, hasTree && given === undefined).then(() =>
                    end({ kind: 'completed', summary: 'done' }),
                  ),
              });
        })
        .catch(this.#witness.broke);
    });
  }

  #startProcess(
    command: string,
    { number }: OwnerProcess,
    request: CommandRequest,
    endless: boolean,
  ): Process {
    const process = spawnProcess(this.#clock, request, {
      pid: 1000 + this.processes.length,
      owner: number,
      command,
      record: this.#witness.onRecord(request.run, request.key),
      bornOrder: this.#nextOrder(),
      endless,
    });
    this.processes.push(process);
    return process;
  }

  /** A long-lived agent: what it does besides its work. */
  async #turn(
    process: Process,
    behaviour: AgentBehaviour,
    request: CommandRequest,
    context: CommandContext,
    { end, fail, write, ports }: TurnEnds,
  ): Promise<void> {
    const turns = this.#turns;
    if (turns === undefined) return;
    const begun = await turns.begin(process, request, context, ports);
    if ('kind' in begun) {
      this.#clock.after(behaviour.stepMs, () => end(begun));
      return;
    }
    if (process.diedOrder !== null || turns.spins(process, request.run, ports)) return;
    const { session, spent } = begun;
    const paid = async (then: () => void): Promise<void> => {
      await spent();
      then();
    };
    this.work.begin(process, behaviour, request.input, context, {
      ...{ session, write },
      end: (outcome) => void paid(() => end(outcome)),
      fail: (error) => void paid(() => fail(error)),
      complete: () => void paid(() => end(turns.complete(request.run, session, ports))),
    });
  }

  /** Stops, kills and deadlines. */
  #heed(
    process: Process,
    { faults }: AgentBehaviour,
    input: CommandRequest['input'],
    context: CommandContext,
    end: (outcome: AttemptOutcome) => void,
  ): void {
    const { graceMs } = process;
    const isDeaf = faults.has('agent-deaf');
    const leaveMs = isDeaf ? graceMs : randomInt(this.#random, 0, Math.min(graceMs, 2000));
    const finishesFirst = !isDeaf && this.#random() < 0.2;
    const onCancel = (): void => {
      if (isDeaf && process.diedOrder === null) this.#witness.happened('agent-deaf');
      this.#clock.after(leaveMs, () =>
        end(finishesFirst ? { kind: 'completed', summary: 'just in time' } : { kind: 'stopped' }),
      );
    };
    const onKill = (): void => this.#clock.after(1, () => end({ kind: 'stopped' }));
    context.cancelSignal.addEventListener('abort', onCancel, { once: true });
    context.killSignal.addEventListener('abort', onKill, { once: true });
    const { deadlineMs } = input as Partial<AttemptInput>;
    if (typeof deadlineMs !== 'number') return;
    this.#clock.after(deadlineMs + (isDeaf ? graceMs : 0), () =>
      end({ kind: 'failed', reason: 'deadline', message: 'ran past its deadline' }),
    );
  }

  /** In a world without trees, an attempt says what it left: often the same as before. */
  async #leave(process: Process, context: CommandContext, isNamed: boolean): Promise<void> {
    if (!isNamed || process.diedOrder !== null) return;
    const content = randomItem(this.#random, CONTENTS);
    const note = { kind: 'committed', content, files: content === CONTENTS[0] ? 0 : 1, names: [] };
    await this.#note(process, context, note).catch(this.#witness.broke);
  }

  async #note(
    { run, key }: Process,
    context: CommandContext,
    fact: Record<string, Json>,
  ): Promise<void> {
    await (context as LooseContext).note(fact);
    // A killed process gets no acknowledgement: its owner may be closing.
    if (!context.killSignal.aborted) this.#witness.noted(run, key);
  }

  #bury(process: Process): void {
    process.diedOrder = this.#nextOrder();
    process.diedMs = this.#clock.elapsedMs;
    this.#turns?.ended(process);
  }

  #nextOrder(): number {
    this.#order += 1;
    return this.#order;
  }
}

type TurnEnds = Ends & {
  readonly write: AttemptTree['write'] | undefined;
  readonly ports: TurnPorts;
};

function never(): Promise<never> {
  return new Promise(() => undefined);
}
