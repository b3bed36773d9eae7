/**
 * Supervises the runs. A run that ended leaves the tree. A run that fails with a defect is read
 * from the journal again and continues, a few times. After that it is reported as stuck.
 */
import type { Clock } from '../base/clock.ts';
import { describeError, isRefusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { DrivenRun } from '../engine/embedded/embedded-engine.ts';
import type { ChildHandle, Exit, StartResult, SupervisionEvent } from '../supervision/index.ts';
import { Supervisor } from '../supervision/index.ts';

/** The part of the engine that this supervisor needs. */
type DrivenRuns = {
  /** See `EmbeddedEngine.driveAgain`. */
  driveAgain(run: RunId): Promise<DrivenRun | undefined>;
};

export type RunsPorts = {
  readonly clock: Clock;
  readonly engine: DrivenRuns;
  readonly observe: (event: SupervisionEvent) => void;
  /** The run failed too often or cannot be resumed. It does not continue. */
  readonly onStuck: (run: RunId, why: string) => void;
};

/** How often a run is resumed before it is reported as stuck. */
const INTENSITY = { restartsMax: 3, withinMs: 300_000, whenFull: 'leave' } as const;
const BACKOFF = { baseMs: 200, maxMs: 10_000 };
/**
 * If very many runs fail, the fault is in a component that they depend on, so this supervisor fails
 * too.
 */
const BRANCH_INTENSITY = { restartsMax: 1000, withinMs: 60_000 };
/** On shutdown, agents are killed at once. The rest of this time is for a slow machine. */
const CLOSE_MS = 60_000;

export class RunsSupervisor {
  readonly #ports: RunsPorts;
  readonly #supervisor: Supervisor;

  private constructor(ports: RunsPorts, supervisor: Supervisor) {
    this.#ports = ports;
    this.#supervisor = supervisor;
  }

  static async start(ports: RunsPorts, signal: AbortSignal): Promise<RunsSupervisor> {
    const failures = new Map<string, string>();
    const observe = (event: SupervisionEvent): void => {
      const { kind, id } = event;
      ports.observe(event);
      if (kind === 'exited' && event.exit.kind === 'failed') failures.set(id, event.exit.reason);
      else if (kind === 'start-failed') failures.set(id, event.reason);
      else if (kind !== 'restarting') {
        if (kind === 'gave-up')
          ports.onStuck(id as RunId, failures.get(id) ?? 'it failed with a defect');
        failures.delete(id);
      }
    };
    const spec = { strategy: 'dynamic', intensity: BRANCH_INTENSITY, backoff: BACKOFF } as const;
    const supervisor = await Supervisor.start(spec, { clock: ports.clock, observe }, signal);
    return new RunsSupervisor(ports, supervisor);
  }

  /** Supervises a run that the engine drives. Does nothing if the run is supervised already. */
  async adopt(run: RunId): Promise<void> {
    try {
      await this.#supervisor.startChild({
        id: run,
        restart: 'transient',
        shutdown: CLOSE_MS,
        intensity: INTENSITY,
        start: () => this.#resume(run),
      });
    } catch (error) {
      // The engine drives the run even if it is missing in the tree, so a refusal here loses no
      // run.
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

  async #resume(run: RunId): Promise<StartResult> {
    const driven = await this.#ports.engine.driveAgain(run);
    if (driven === undefined) return { kind: 'ignored' };
    return { kind: 'started', child: runChild(driven) };
  }
}

/**
 * A child that ends when its run ends: normally, with a defect, or because this supervisor closes
 * it.
 */
function runChild(driven: DrivenRun): ChildHandle {
  const close = (): void => void driven.close();
  const exit = driven.over.then((end): Exit =>
    end.kind === 'over' ? { kind: 'normal' } : { kind: 'failed', reason: describeError(end.error) },
  );
  return { exit, ask: close, kill: close };
}
