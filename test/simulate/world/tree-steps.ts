/** Every access to a tree in the simulated world is one step, and a fault can occur before it. */
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

  /**
   * A fault before the last of so many steps. It receives the tree's owner and the file that is
   * about to change.
   */
  arm(steps: number, strike: Armed['strike'], isAtHand = false): void {
    this.#armed.push({ left: steps, strike, isAtHand });
  }

  disarm(): void {
    this.#armed = [];
  }

  /** A dead owner performs no step and receives no result. */
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
  /** The user's file that the step may change. */
  readonly path?: string;
  readonly slowMs?: number;
};

/** A function, because the answer changes while we wait. */
function isOver({ alive }: ClockOwner): boolean {
  return !alive;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
