/** What a run has done besides attempts: a setup, a gate, the last tidying. */
import type { GateInput, GateOutcome } from '../../attempts/gate.ts';
import type { SetupOutcome } from '../../attempts/setup.ts';
import type { Json } from '../../base/json.ts';
import type { Luck } from '../../base/luck.ts';
import { drawInt } from '../../base/luck.ts';
import type { Errand, Order } from '../../engine/performer.ts';
import type { AgentFault } from './scenario.ts';
import type { WorldClock } from './world-clock.ts';

export const SIDE_COMMANDS = ['setup', 'gate', 'finalize'] as const;
export type SideCommand = (typeof SIDE_COMMANDS)[number];

type End = (result: Record<string, Json>) => void;

/** Within what a killed process may take. */
export const QUICK_MS = 40;
const GATE_MS = 20_000;
const SETUP_MS = 60_000;

export class SideWork {
  readonly #clock: WorldClock;
  readonly #luck: Luck;
  readonly #strikes: (fault: AgentFault) => boolean;

  /** `strikes` draws whether a fault strikes now, and tells the world if it does. */
  constructor(clock: WorldClock, luck: Luck, strikes: (fault: AgentFault) => boolean) {
    this.#clock = clock;
    this.#luck = luck;
    this.#strikes = strikes;
  }

  /** `holds`: whether what a gate asks is so; undefined: chance says. */
  perform(
    command: SideCommand,
    input: Order['input'],
    errand: Errand,
    end: End,
    holds?: boolean,
  ): void {
    const soonMs = drawInt(this.#luck, 0, QUICK_MS);
    switch (command) {
      case 'setup':
        this.#setup(errand, end);
        return;
      case 'gate':
        this.#gate(input as unknown as GateInput, errand, end, holds);
        return;
      case 'finalize':
        this.#clock.after(soonMs, () => end({ kind: 'finalized' }));
        return;
    }
  }

  #setup(errand: Errand, end: End): void {
    const ended = (outcome: SetupOutcome): void => end(outcome);
    const off = (): void => this.#clock.after(1, () => ended({ kind: 'stopped' }));
    errand.asked.addEventListener('abort', off, { once: true });
    errand.killed.addEventListener('abort', off, { once: true });
    this.#clock.after(drawInt(this.#luck, 0, SETUP_MS), () => {
      if (this.#strikes('setup-fails'))
        ended({ kind: 'failed', message: 'the setup failed', tail: 'no such package' });
      else ended({ kind: 'ready', key: 'made', how: 'made', summary: 'npm ci' });
    });
  }

  #gate({ name }: GateInput, errand: Errand, end: End, holds = true): void {
    const judged = (outcome: GateOutcome): void => end(outcome);
    const off = (): void =>
      this.#clock.after(1, () => judged({ kind: 'unable', name, why: 'it was called off' }));
    errand.asked.addEventListener('abort', off, { once: true });
    errand.killed.addEventListener('abort', off, { once: true });
    this.#clock.after(drawInt(this.#luck, 0, GATE_MS), () => {
      if (this.#strikes('gate-unable')) judged({ kind: 'unable', name, why: 'it is not there' });
      else if (!holds) judged({ kind: 'failed', name, exit: 1, tail: 'not so' });
      else if (this.#strikes('gate-red')) judged({ kind: 'failed', name, exit: 1, tail: 'red' });
      else judged({ kind: 'passed', name });
    });
  }
}
