/** The receipts of one gateway: which of the messages that an agent is told its model has read. */
import type { GatewayFact } from '../../gateway/gateway-facts.ts';
import type { ToldMessage } from '../../gateway/observe/told-messages.ts';

export type Receipt = { readonly request: number; readonly times: number };

type GatewayPort = {
  readonly tell: (message: ToldMessage) => void;
  readonly withdraw: (id: string) => void;
};

export class Receipts {
  readonly #gateway: GatewayPort;
  readonly #waiting = new Map<string, (receipt: Receipt) => void>();

  constructor(gateway: GatewayPort) {
    this.#gateway = gateway;
  }

  take(fact: GatewayFact): void {
    if (fact.kind !== 'message-seen') return;
    this.#waiting.get(fact.message)?.({ request: fact.call.number, times: fact.times });
  }

  /** Resolves when a request with the message was answered, or with null when `signal` aborts. */
  async expect(message: ToldMessage, signal: AbortSignal): Promise<Receipt | null> {
    if (signal.aborted) return null;
    const { promise, resolve } = Promise.withResolvers<Receipt | null>();
    const onAbort = (): void => resolve(null);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(message.id, resolve);
    this.#gateway.tell(message);
    const receipt = await promise;
    signal.removeEventListener('abort', onAbort);
    this.#waiting.delete(message.id);
    if (receipt === null) this.#gateway.withdraw(message.id);
    return receipt;
  }
}
