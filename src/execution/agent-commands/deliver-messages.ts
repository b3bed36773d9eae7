/** Sends a message to an agent, and tries again if it could not be recorded at that moment. */
import type { Clock } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Signal } from '../../protocol/signal.ts';

export type MessageDeliveryPorts = {
  readonly clock: Clock;
  /** Durable once it resolves. Refuses a run that is not there or has ended. */
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
};

/** The engine may still be starting, or the disk may be full for a while. */
const TRIES_MAX = 30;
const TRY_EVERY_MS = 1000;

/** Undefined: the message is durable. Otherwise the reason why it was not delivered. */
export async function deliver(
  { clock, signal }: MessageDeliveryPorts,
  run: RunId,
  message: Signal,
  cancelSignal: AbortSignal,
): Promise<string | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      await signal(run, message);
      return undefined;
    } catch (error) {
      if (!isRefusal(error)) throw error; // a defect of Supervisor
      const isGone = isRefusal(error, 'run.not-found') || isRefusal(error, 'run.already-ended');
      const isOver = isGone || tries === TRIES_MAX;
      if (isOver || !(await clock.sleep(TRY_EVERY_MS, cancelSignal))) return error.message;
    }
  }
}
