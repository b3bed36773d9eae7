/** Sends the stop or the kill of a person to the owner. If the owner does not answer, it is sent again, and not forgotten. */
import type { Clock } from '../../base/clock.ts';
import { describeError, isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';

export type StopSignalPorts = {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly run: string;
  /** The current owner, which may be another one at each call. */
  readonly client: () => Pick<Client, 'signal'>;
  readonly tell: (text: string) => void;
};

const SENDS_MAX = 10;
const RETRY_MS = 1000;

export class StopSignal {
  readonly #ports: StopSignalPorts;
  #current = new AbortController();

  constructor(ports: StopSignalPorts) {
    this.#ports = ports;
  }

  /** A later signal replaces this one. Resolves when it is delivered, replaced or given up. */
  async send(kind: 'stop' | 'kill'): Promise<void> {
    this.close();
    const { signal } = (this.#current = new AbortController());
    const { clock, run, client, tell } = this.#ports;
    for (let sends = 1; !signal.aborted; sends += 1) {
      try {
        await client().signal(run, { kind });
        return;
      } catch (error) {
        if (isRefusal(error, 'run.already-ended')) return;
        if (!isRefusal(error, 'owner.unreachable'))
          return tell(
            `Could not ${kind} the run: ${isRefusal(error) ? error.message : describeError(error)}`,
          );
        if (sends === SENDS_MAX)
          return tell(
            `Could not ${kind} the run: the owner did not answer ${SENDS_MAX} times. It may still run. Try again with: supervisor ${kind} ${run}`,
          );
        if (sends === 1) tell(`The owner does not answer. The ${kind} is sent again.`);
      }
      await clock.sleep(RETRY_MS, signal);
    }
  }

  /** Nothing is sent any more, for example because the run has ended. */
  close(): void {
    this.#current.abort();
  }
}
