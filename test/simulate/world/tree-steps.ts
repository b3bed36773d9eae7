/** Every touch of a tree in the simulated world is one step, and something can strike before it. */
import type { ClockOwner, WorldClock } from './world-clock.ts';

/** `isAtHand`: it waits for a step that changes a file. */
type Armed = {
  left: number;
  readonly isAtHand: boolean;
  readonly strike: (project: string, path: string | undefined) => void;
};

export class TreeSteps {
  readonly #clock: WorldClock;
  #armed: Armed[] = [];

  constructor(clock: WorldClock) {
    this.#clock = clock;
  }

  /** Strikes before the last of so many steps, and is told whose tree it is and which file is at hand. */
  arm(steps: number, strike: Armed['strike'], isAtHand = false): void {
    this.#armed.push({ left: steps, strike, isAtHand });
  }

  disarm(): void {
    this.#armed = [];
  }

  /** Nothing is done by the dead, and nothing comes back to them. */
  async take<Value>({ life, project, path, slowMs = 0 }: Step, work: () => Value): Promise<Value> {
    if (slowMs > 0) await this.#clock.lasts(slowMs);
    if (isOver(life)) return never();
    for (const one of this.#armed) one.left -= 1;
    const due = this.#armed.filter(
      ({ left, isAtHand }) => left <= 0 && (path !== undefined || !isAtHand),
    );
    this.#armed = this.#armed.filter((one) => !due.includes(one));
    for (const { strike } of due) strike(project, path);
    return isOver(life) ? never() : work();
  }
}

export type Step = {
  readonly life: ClockOwner;
  readonly project: string;
  /** The file of the user's that it may change. */
  readonly path?: string;
  readonly slowMs?: number;
};

/** A call, since the answer changes while we wait. */
function isOver({ alive }: ClockOwner): boolean {
  return !alive;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
