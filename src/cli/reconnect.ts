/** How a command that watches the owner outlives it: it says once what happened, and tries again. */
import type { Rejoin } from '../client/rejoin-owner.ts';
import { isOwnerGone } from '../client/rejoin-owner.ts';

/** How often in a row a new owner may fail before its refusal is the answer. */
const REJOINS_MAX = 5;

export const OWNER_LOST = 'Connection to the owner lost, reconnecting …';
const OWNER_STOPPED =
  'The owner was stopped. Waiting for the next one; start it with: supervisor up --detach';

export class Reconnect {
  readonly #rejoin: Rejoin | undefined;
  readonly #tell: (text: string) => void;
  #failures = 0;
  #told = '';

  /** Without `rejoin`, the command ends with its owner. `tell` is called with each new notice. */
  constructor(rejoin: Rejoin | undefined, tell: (text: string) => void) {
    this.#rejoin = rejoin;
    this.#tell = tell;
  }

  /** The owner has answered. */
  succeeded(): void {
    this.#failures = 0;
    this.#told = '';
  }

  /** Resolves when a call that failed may be repeated. Rejects with an error that is no loss of the owner. */
  async after(failure: unknown): Promise<void> {
    const rejoin = this.#rejoin;
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
    this.#notice(OWNER_STOPPED);
  }

  #notice(text: string): void {
    if (text !== this.#told) this.#tell(text);
    this.#told = text;
  }
}
