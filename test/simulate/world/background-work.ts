/** The commands of a run besides attempts: setup, gates on the base and on the work, finalize. */
import type { Json } from '../../../src/base/json.ts';
import type { Random } from '../../../src/base/random.ts';
import { randomInt } from '../../../src/base/random.ts';
import type { CommandContext, CommandRequest } from '../../../src/engine/performer.ts';
import type { AgentFault } from './scenario.ts';
import type { WorldClock } from './world-clock.ts';
import type { GateInput, GateOutcome } from '../../../src/protocol/contracts/gate-contract.ts';
import type { SetupOutcome } from '../../../src/protocol/contracts/setup-contract.ts';

export const BACKGROUND_COMMANDS = ['setup', 'baseline', 'gate', 'finalize'] as const;
export type BackgroundCommand = (typeof BACKGROUND_COMMANDS)[number];

type End = (result: Record<string, Json>) => void;

/** At most the time that a killed process may take. */
export const QUICK_MS = 40;
const GATE_MS = 20_000;
const SETUP_MS = 60_000;
/** The names of what attempts leave in a world without trees. The first is the base. */
export const CONTENTS = ['base', 'one'] as const;

export class BackgroundWork {
  readonly #clock: WorldClock;
  readonly #random: Random;
  readonly #strikes: (fault: AgentFault) => boolean;

  /** `strikes` draws whether a fault occurs now, and records it in the world. */
  constructor(clock: WorldClock, random: Random, strikes: (fault: AgentFault) => boolean) {
    this.#clock = clock;
    this.#random = random;
    this.#strikes = strikes;
  }

  /**
   * `holds`: whether the condition of a gate is true; undefined: random. `finalize`: the last
   * command of a run.
   */
  perform(
    command: BackgroundCommand,
    input: CommandRequest['input'],
    context: CommandContext,
    end: End,
    {
      holds,
      hasTrees,
      finalize,
    }: {
      readonly holds?: boolean | undefined;
      readonly hasTrees: boolean;
      readonly finalize: () => Promise<void>;
    },
  ): void {
    const soonMs = randomInt(this.#random, 0, QUICK_MS);
    switch (command) {
      case 'setup':
        this.#setup(context, end);
        return;
      case 'gate':
        this.#gate(input as unknown as GateInput, context, end, holds);
        return;
      case 'baseline': {
        const content = hasTrees ? null : CONTENTS[0];
        const judged = (outcome: Record<string, Json>): void =>
          end({ kind: 'judged', outcome, how: 'ran', content });
        this.#gate(input as unknown as GateInput, context, judged);
        return;
      }
      case 'finalize':
        this.#clock.after(soonMs, () => void finalize().then(() => end({ kind: 'finalized' })));
        return;
    }
  }

  #setup(context: CommandContext, end: End): void {
    const ended = (outcome: SetupOutcome): void => end(outcome);
    const off = (): void => this.#clock.after(1, () => ended({ kind: 'stopped' }));
    context.cancelSignal.addEventListener('abort', off, { once: true });
    context.killSignal.addEventListener('abort', off, { once: true });
    this.#clock.after(randomInt(this.#random, 0, SETUP_MS), () => {
      if (this.#strikes('setup-fails'))
        ended({ kind: 'failed', message: 'the setup failed', tail: 'no such package' });
      else ended({ kind: 'ready', key: 'made', how: 'built', summary: 'npm ci' });
    });
  }

  #gate({ name, known }: GateInput, context: CommandContext, end: End, holds = true): void {
    const judged = (outcome: GateOutcome): void => end(outcome);
    if (known !== undefined) {
      const outcome = { ...known.outcome, knownSince: known.since };
      this.#clock.after(0, () => judged(outcome));
      return;
    }
    const off = (): void =>
      this.#clock.after(1, () => judged({ kind: 'unable', name, why: 'it was cancelled' }));
    context.cancelSignal.addEventListener('abort', off, { once: true });
    context.killSignal.addEventListener('abort', off, { once: true });
    this.#clock.after(randomInt(this.#random, 0, GATE_MS), () => {
      if (this.#strikes('gate-unable')) judged({ kind: 'unable', name, why: 'it is not there' });
      else if (!holds) judged({ kind: 'failed', name, exit: 1, tail: 'not so' });
      else if (this.#strikes('gate-red')) judged({ kind: 'failed', name, exit: 1, tail: 'red' });
      else judged({ kind: 'passed', name });
    });
  }
}
