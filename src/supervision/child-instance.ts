/** One life of a child, from its start to its exit, and how to stop it. */
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { ChildHandle, Shutdown } from './child.ts';
import type { Exit } from './exit.ts';
import { unlessAborted } from './unless-aborted.ts';

/** How long a killed child may take to exit. After that it is reported as unstopped, and the supervisor continues. */
const KILLED_GONE_MS = 10_000;

export class ChildInstance {
  readonly #handle: ChildHandle;
  /** Resolves when the child has exited, as the handle's promise does, but never rejects. */
  readonly over: Promise<Exit>;
  #exit: Exit | undefined;

  constructor(handle: ChildHandle) {
    this.#handle = handle;
    this.over = handle.exit
      // The port forbids a rejection. A child whose exit is unknown counts as failed.
      .catch((error: unknown): Exit => ({ kind: 'failed', reason: describeError(error) }))
      .then((exit) => (this.#exit = exit));
  }

  get exit(): Exit | undefined {
    return this.#exit;
  }

  ask(): void {
    this.#handle.ask();
  }

  kill(): void {
    this.#handle.kill();
  }
}

export type StopMode =
  /** It had exited before the request. */
  | { readonly kind: 'was-over'; readonly exit: Exit }
  | { readonly kind: 'obeyed'; readonly exit: Exit }
  | { readonly kind: 'killed'; readonly exit: Exit }
  /** Killed, and still running. */
  | { readonly kind: 'unstopped' };

/**
 * Asks all children to exit, waits, and kills the rest, with one timer for all of them. `hurry` cuts
 * the wait short, not the kill.
 */
export async function stopTogether(
  lives: readonly ChildInstance[],
  shutdown: Shutdown,
  clock: Clock,
  hurry: AbortSignal,
): Promise<readonly StopMode[]> {
  const before = lives.map(({ exit }) => exit);
  if (shutdown !== 'brutal-kill') {
    for (const life of lives) if (life.exit === undefined) life.ask();
    await allOver(lives, shutdown, clock, hurry);
  }
  const obeyed = lives.map(({ exit }) => exit);
  if (obeyed.includes(undefined)) {
    for (const life of lives) if (life.exit === undefined) life.kill();
    await allOver(lives, KILLED_GONE_MS, clock);
  }
  return lives.map((life, index): StopMode => {
    const { exit } = life;
    if (exit === undefined) return { kind: 'unstopped' };
    if (before[index] !== undefined) return { kind: 'was-over', exit };
    return { kind: obeyed[index] === undefined ? 'killed' : 'obeyed', exit };
  });
}

/** Resolves when all have exited, when the time is over, or when `hurry` aborts. */
async function allOver(
  lives: readonly ChildInstance[],
  withinMs: number | 'infinity',
  clock: Clock,
  hurry?: AbortSignal,
): Promise<void> {
  const enough = new AbortController();
  const stop = (): void => enough.abort();
  const over = Promise.all(lives.map((life) => life.over)).then(stop);
  if (hurry?.aborted === true) return;
  hurry?.addEventListener('abort', stop);
  if (withinMs === 'infinity') await unlessAborted(over, enough.signal);
  else await clock.sleep(withinMs, enough.signal);
  hurry?.removeEventListener('abort', stop);
}
