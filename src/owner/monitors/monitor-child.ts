/**
 * A monitor as a child of its supervisor. It runs until it is stopped, and an error of its own ends
 * it.
 */
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import { OwnerComponent } from '../component.ts';

const SHUTDOWN_MS = 30_000;

/** `watch` resolves when the signal has aborted, and rejects if it cannot continue. */
export function monitorChild(id: string, watch: (signal: AbortSignal) => Promise<void>): ChildSpec {
  return {
    id,
    restart: 'permanent',
    shutdown: SHUTDOWN_MS,
    start: async () => {
      const closing = new AbortController();
      const work = watch(closing.signal);
      const component = new OwnerComponent(async () => {
        closing.abort();
        await work.catch(() => undefined); // reported below
      });
      work.catch((error: unknown) => component.fail(describeError(error)));
      return { kind: 'started', child: component };
    },
  };
}

/** Runs all parts until the signal aborts. If one fails, the others are aborted. */
export async function runTogether(
  signal: AbortSignal,
  ...parts: readonly ((signal: AbortSignal) => Promise<void>)[]
): Promise<void> {
  const failed = new AbortController();
  const anyAbort = AbortSignal.any([signal, failed.signal]);
  await Promise.all(
    parts.map((component) =>
      component(anyAbort).catch((error: unknown) => {
        failed.abort();
        throw error; // the caller gets the first error
      }),
    ),
  );
}

/** Calls `check` again and again, each time after the previous call has ended. */
export async function every(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  check: () => Promise<void>,
): Promise<void> {
  while (await clock.sleep(ms, signal)) await check();
}
