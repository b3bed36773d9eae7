/**
 * What the command that submitted a run made of its end: with `--apply` or `--require-gate`, the exit code is known only
 * after the run. The notification of the end waits for it.
 */
import type { Clock } from '../../base/clock.ts';
import type { RunConclusion, RunResult } from '../../public-json/run-result.ts';
import { simpleError } from '../../public-json/error-document.ts';

/** A command needs seconds. After this time it is taken for dead. */
const WAIT_MS = 120_000;
/** A conclusion that no notification waits for is forgotten when so many newer ones have arrived. */
const KEPT_MAX = 1000;

export class Conclusions {
  readonly #clock: Clock;
  readonly #given = new Map<string, RunConclusion>();
  readonly #waiting = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  give(run: string, conclusion: RunConclusion): void {
    this.#given.set(run, conclusion);
    const [oldest] = this.#given.keys();
    if (this.#given.size > KEPT_MAX && oldest !== undefined) this.#given.delete(oldest);
    this.#waiting.get(run)?.();
  }

  /** Waits until the command has given it, for a bounded time after the end of the run, or until `signal` aborts. */
  async wait(run: string, endedAt: number, signal: AbortSignal): Promise<RunConclusion | null> {
    const arrived = new AbortController();
    this.#waiting.set(run, () => arrived.abort());
    try {
      const restMs = endedAt + WAIT_MS - this.#clock.now();
      if (!this.#given.has(run) && restMs > 0)
        await this.#clock.sleep(restMs, AbortSignal.any([arrived.signal, signal]));
      return this.#given.get(run) ?? null;
    } finally {
      this.#waiting.delete(run);
      this.#given.delete(run);
    }
  }
}

/** The result as the command has left it. Null: the command ended without a word. */
export function concludedResult(result: RunResult, conclusion: RunConclusion | null): RunResult {
  if (conclusion !== null)
    return { ...result, ...conclusion, error: result.error ?? conclusion.error };
  if (result.exit_code !== 0 || result.applied !== null) return result;
  const message =
    'The command that started the run ended before it had applied or judged the work.';
  const remedy = `Apply the work with: supervisor apply ${result.run_id}`;
  const lost = simpleError('command.interrupted', message, remedy);
  return { ...result, exit_code: null, apply_error: lost };
}
