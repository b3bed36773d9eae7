/** A monitor as a child of its supervisor: it watches until it is told to leave, and a fault of its own is its end. */
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { ChildSpec } from '../../supervision/index.ts';
import { OwnerComponent } from '../component.ts';

const SHUTDOWN_MS = 30_000;

/** `watch` resolves once the signal has aborted, and rejects when it can't go on. */
export function monitorChild(id: string, watch: (signal: AbortSignal) => Promise<void>): ChildSpec {
  return {
    id,
    restart: 'permanent',
    shutdown: SHUTDOWN_MS,
    start: async () => {
      const closing = new AbortController();
      const work = watch(closing.signal);
      const part = new OwnerComponent(async () => {
        closing.abort();
        await work.catch(() => undefined); // told below
      });
      work.catch((error: unknown) => part.fail(describeError(error)));
      return { kind: 'started', child: part };
    },
  };
}

/** Both until the signal aborts; the first that fails ends the other. */
export async function together(
  signal: AbortSignal,
  ...parts: readonly ((signal: AbortSignal) => Promise<void>)[]
): Promise<void> {
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  await Promise.all(
    parts.map((part) =>
      part(both).catch((error: unknown) => {
        failed.abort();
        throw error; // the first one is told
      }),
    ),
  );
}

/** Again and again, each time after the last has ended. */
export async function every(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  look: () => Promise<void>,
): Promise<void> {
  while (await clock.sleep(ms, signal)) await look();
}
