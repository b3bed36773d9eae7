/** How a command that watches the owner outlives it: it says once what happened, and tries again. */
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { formatDuration } from '../../base/format-duration.ts';
import type { Rejoin } from '../../client/rejoin-owner.ts';
import { isOwnerGone, rejoinOwner } from '../../client/rejoin-owner.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';
import type { OwnerConnection } from '../connect-owner.ts';
import { stateHome } from '../connect-owner.ts';

/** How often in a row a new owner may fail before its refusal is the answer. */
const REJOINS_MAX = 5;
/** A person at a terminal sees the notice, and decides. A program would wait for nothing. */
const STOPPED_MS_MAX = 10 * 60_000;
const RETRY_MS = 1000;

export const OWNER_LOST = 'Connection to the owner lost, reconnecting …';
const OWNER_STOPPED =
  'The owner was stopped. Waiting for the next one; start it with: supervisor up --detach';

export type ReconnectPorts = {
  readonly clock: Pick<Clock, 'now'>;
  /** Without it, the command ends with its owner. */
  readonly rejoin: Rejoin | undefined;
  /** Called with each new notice. */
  readonly tell: (text: string) => void;
  /** How long it waits for the next owner after a person stopped the last one. */
  readonly stoppedMsMax: number;
};

export class Reconnect {
  readonly #ports: ReconnectPorts;
  #failures = 0;
  #told = '';
  /** Since when no owner runs, because the last one was stopped. */
  #stoppedAt: number | undefined;

  constructor(ports: ReconnectPorts) {
    this.#ports = ports;
  }

  /** The owner has answered. */
  succeeded(): void {
    this.#failures = 0;
    this.#told = '';
    this.#stoppedAt = undefined;
  }

  /** Resolves when a call that failed may be repeated. Rejects with an error that is no loss of the owner. */
  async after(failure: unknown): Promise<void> {
    const { rejoin, clock, stoppedMsMax } = this.#ports;
    if (rejoin === undefined || !isOwnerGone(failure) || this.#failures === REJOINS_MAX)
      throw failure;
    this.#failures += 1;
    if (this.#told === '') this.#notice(OWNER_LOST);
    const isRunning = await rejoin().catch((refused: unknown) => {
      if (isOwnerGone(refused) && this.#failures < REJOINS_MAX) return true; // the next call tries again
      throw refused;
    });
    if (isRunning) return;
    this.#failures = 0; // it may stay so until a person starts the next one
    this.#stoppedAt ??= clock.now();
    if (clock.now() - this.#stoppedAt >= stoppedMsMax) throw staysStopped(stoppedMsMax);
    this.#notice(OWNER_STOPPED);
  }

  #notice(text: string): void {
    if (text !== this.#told) this.#ports.tell(text);
    this.#told = text;
  }
}

function staysStopped(ms: number): Refusal {
  return new Refusal({
    code: 'owner.unreachable',
    message: `The owner was stopped, and no other one was started for ${formatDuration(ms)}.`,
    hint: 'Start one with: supervisor up --detach. Then run the command again.',
  });
}

/** How long a command waits for the next owner after the last one was stopped. */
export function stoppedMsMax(isScreen: boolean): number {
  return isScreen ? Infinity : STOPPED_MS_MAX;
}

/** For a command that follows something line by line. Its notices go to standard error. */
export async function lineReconnect(
  context: CliContext,
  { again }: Pick<OwnerConnection, 'again'>,
): Promise<Reconnect> {
  return new Reconnect({
    clock: context.clock,
    rejoin: again && (await rejoinOwner(stateHome(context), again)),
    tell: (text) => context.err(`${paint(context, 'yellow', text)}\n`),
    stoppedMsMax: stoppedMsMax(context.terminal.isTty),
  });
}

/**
 * Follows a stream of the owner, and continues with the next owner if this one is gone. `open` opens the stream where it
 * broke off, so that no item is lost or comes twice.
 */
export async function* followOn<Item>(
  { clock }: Pick<CliContext, 'clock'>,
  reconnect: Reconnect,
  open: () => AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item, void> {
  do {
    try {
      for await (const item of open()) {
        reconnect.succeeded();
        yield item;
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      await reconnect.after(error);
    }
  } while (await clock.sleep(RETRY_MS, signal));
}
