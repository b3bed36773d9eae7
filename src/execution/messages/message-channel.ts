/** The port through which a message reaches an agent that works, and the attempts that have one now. */
import type { DeliverMessageInput, DeliverMessageResult } from '../../protocol/run-message.ts';

type MarkedMessage = {
  readonly id: string;
  /** What the gateway looks for in the agent's requests. It is a part of the text. */
  readonly mark: string;
  /** As the agent reads it. */
  readonly text: string;
};

export interface MessageChannel {
  readonly name: DeliverMessageInput['channel'];
  /**
   * Hands the message to the agent once, calls `onSent`, and resolves when the provider has answered a request of the
   * agent's main conversation that has it, or when `signal` aborts because the attempt is over. Never rejects.
   */
  deliver(
    message: MarkedMessage,
    onSent: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<DeliverMessageResult>;
}

type Live = { readonly channel: MessageChannel; readonly over: AbortController };

/** The attempts of this owner whose agents can get a message now. */
export class LiveAttempts {
  readonly #live = new Map<string, Live>();

  /** Disposal ends the deliveries to this attempt. */
  open(run: string, attempt: string, channel: MessageChannel): Disposable {
    const key = `${run}/${attempt}`;
    const over = new AbortController();
    this.#live.set(key, { channel, over });
    return {
      [Symbol.dispose]: () => {
        this.#live.delete(key);
        over.abort();
      },
    };
  }

  find(
    run: string,
    attempt: string,
  ): { readonly channel: MessageChannel; readonly signal: AbortSignal } | undefined {
    const live = this.#live.get(`${run}/${attempt}`);
    return live === undefined ? undefined : { channel: live.channel, signal: live.over.signal };
  }
}
