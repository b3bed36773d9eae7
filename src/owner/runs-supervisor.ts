/**
 * The runs as children of a supervisor. A run that ends is done with; one that breaks through a
 * fault of ours is read from the journal again and goes on, some times; then it is left where it is.
 */
import type { Clock } from '../base/clock.ts';
import { describeError, isRefusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { DrivenRun } from '../engine/embedded/embedded-engine.ts';
import type { ChildHandle, Exit, StartResult, SupervisionEvent } from '../supervision/index.ts';
import { Supervisor } from '../supervision/index.ts';

/** What the branch needs of the engine. */
export type DrivenRuns = {
  /** See `EmbeddedEngine.takeUpAgain`. */
  takeUpAgain(run: RunId): Promise<DrivenRun | undefined>;
};

export type RunsPorts = {
  readonly clock: Clock;
  readonly engine: DrivenRuns;
  readonly observe: (event: SupervisionEvent) => void;
  /** It broke too often, or can't be taken up: it stands still from now on. */
  readonly onStuck: (run: RunId, why: string) => void;
};

/** So often a run is taken up again before it is left alone. */
const INTENSITY = { restartsMax: 3, withinMs: 300_000, whenFull: 'leave' } as const;
const BACKOFF = { baseMs: 200, maxMs: 10_000 };
/** The same fault in very many runs is a fault of what they stand on. */
const BRANCH_INTENSITY = { restartsMax: 1000, withinMs: 60_000 };
/** Agents are killed at once when an owner leaves; the rest is waiting for the machine. */
const CLOSE_MS = 60_000;

export class RunsSupervisor {
  readonly #ports: RunsPorts;
  readonly #supervisor: Supervisor;

  private constructor(ports: RunsPorts, supervisor: Supervisor) {
    this.#ports = ports;
    this.#supervisor = supervisor;
  }

  static async start(ports: RunsPorts, signal: AbortSignal): Promise<RunsSupervisor> {
    const broke = new Map<string, string>();
    const observe = (event: SupervisionEvent): void => {
      const { kind, id } = event;
      ports.observe(event);
      if (kind === 'exited' && event.exit.kind === 'failed') broke.set(id, event.exit.reason);
      else if (kind === 'start-failed') broke.set(id, event.reason);
      else if (kind !== 'restarting') {
        if (kind === 'gave-up') ports.onStuck(id as RunId, broke.get(id) ?? 'it broke');
        broke.delete(id);
      }
    };
    const spec = { strategy: 'dynamic', intensity: BRANCH_INTENSITY, backoff: BACKOFF } as const;
    const supervisor = await Supervisor.start(spec, { clock: ports.clock, observe }, signal);
    return new RunsSupervisor(ports, supervisor);
  }

  /** A run that the engine drives is ours to look after. One that we have already stays as it is. */
  async adopt(run: RunId): Promise<void> {
    try {
      await this.#supervisor.startChild({
        id: run,
        restart: 'transient',
        shutdown: CLOSE_MS,
        intensity: INTENSITY,
        start: () => this.#takeUp(run),
      });
    } catch (error) {
      // It goes on by itself: nobody loses a run because it is not in the picture.
      if (!isRefusal(error)) throw error;
      if (error.data.code === 'child.start-failed')
        this.#ports.onStuck(run, String(error.data.details?.['why'] ?? error.message));
    }
  }

  get ended(): Supervisor['ended'] {
    return this.#supervisor.ended;
  }

  stop(): ReturnType<Supervisor['stop']> {
    return this.#supervisor.stop();
  }

  kill(): ReturnType<Supervisor['kill']> {
    return this.#supervisor.kill();
  }

  async #takeUp(run: RunId): Promise<StartResult> {
    const life = await this.#ports.engine.takeUpAgain(run);
    if (life === undefined) return { kind: 'ignored' };
    return { kind: 'started', child: runChild(life) };
  }
}

/** Ends as its run does: by itself, broken, or closed by us, which is never more than calling it off. */
function runChild(life: DrivenRun): ChildHandle {
  const close = (): void => void life.close();
  const exit = life.over.then((end): Exit =>
    end.kind === 'over' ? { kind: 'normal' } : { kind: 'failed', reason: describeError(end.error) },
  );
  return { exit, ask: close, kill: close };
}
