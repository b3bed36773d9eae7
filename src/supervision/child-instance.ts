/** One life of a child, from its start to its exit, and how to stop it. */
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { ChildHandle, Shutdown } from './child.ts';
import type { Exit } from './exit.ts';
import { unlessAborted } from './unless-aborted.ts';

/** How long a killed child may take to exit. After that it is reported as unstopped, and the supervisor continues. */
const KILL_TIMEOUT_MS = 10_000;

export class ChildInstance {
  readonly #handle: ChildHandle;
  /** Resolves when the child has exited, as the handle's promise does, but never rejects. */
  readonly exited: Promise<Exit>;
  #exit: Exit | undefined;

  constructor(handle: ChildHandle) {
    this.#handle = handle;
    this.exited = handle.exit
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
 * Asks all children to exit, waits, and kills the rest, with one timer for all of them. `skipWait` cuts
 * the wait short, not the kill.
 */
export async function stopTogether(
  instances: readonly ChildInstance[],
  shutdown: Shutdown,
  clock: Clock,
  skipWait: AbortSignal,
): Promise<readonly StopMode[]> {
  const before = instances.map(({ exit }) => exit);
  if (shutdown !== 'brutal-kill') {
    for (const instance of instances) if (instance.exit === undefined) instance.ask();
    await waitForExits(instances, shutdown, clock, skipWait);
  }
  const obeyed = instances.map(({ exit }) => exit);
  if (obeyed.includes(undefined)) {
    for (const instance of instances) if (instance.exit === undefined) instance.kill();
    await waitForExits(instances, KILL_TIMEOUT_MS, clock);
  }
  return instances.map((instance, index): StopMode => {
    const { exit } = instance;
    if (exit === undefined) return { kind: 'unstopped' };
    if (before[index] !== undefined) return { kind: 'was-over', exit };
    return { kind: obeyed[index] === undefined ? 'killed' : 'obeyed', exit };
  });
}

/** Resolves when all have exited, when the time is over, or when `skipWait` aborts. */
async function waitForExits(
  instances: readonly ChildInstance[],
  withinMs: number | 'infinity',
  clock: Clock,
  skipWait?: AbortSignal,
): Promise<void> {
  const waitOver = new AbortController();
  const endWait = (): void => waitOver.abort();
  const exited = Promise.all(instances.map((instance) => instance.exited)).then(endWait);
  if (skipWait?.aborted === true) return;
  skipWait?.addEventListener('abort', endWait);
  if (withinMs === 'infinity') await unlessAborted(exited, waitOver.signal);
  else await clock.sleep(withinMs, waitOver.signal);
  skipWait?.removeEventListener('abort', endWait);
}
