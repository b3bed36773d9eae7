/**
 * The owner's end of the channel to one gateway. It holds the state that must be shared and durable: the slots of the
 * project, the pause of the run, the budgets. An agent's request could take over the gateway process, so that end can
 * only ask. When the channel ends, whatever it holds is released or charged here.
 */
import { describeError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { FromGateway } from '../../protocol/gateway-message.ts';
import type { CallBudget, ReservedCall } from '../budget/call-budget.ts';
import type { SlotSource } from '../calls/call-slots.ts';
import type { GatewayFact } from '../gateway-facts.ts';
import type { ChannelFrame } from './frames.ts';
import type { ToGateway } from './messages.ts';
import { toFact } from './messages.ts';

type TunnelObserved = { readonly kind: string; readonly target: string };

/** What the owner provides to one gateway. */
export type ChannelPorts = {
  readonly budget: CallBudget;
  readonly slots: SlotSource;
  /** Resolves when calls may be sent, or when the signal aborts. */
  readonly mayCall: (signal: AbortSignal) => Promise<void>;
  readonly onFact: (fact: GatewayFact) => void;
  readonly onTunnel: (fact: TunnelObserved) => void;
  /** Stores bytes of the recording. Until it resolves, nothing more is read. */
  readonly onRecord: (bytes: Uint8Array) => Promise<void>;
};

export type ChannelClosed = Omit<Extract<FromGateway, { kind: 'closed' }>, 'kind'>;

type Held =
  | { readonly kind: 'asked'; readonly cancel: AbortController }
  | { readonly kind: 'slot'; readonly slot: Disposable }
  | {
      readonly kind: 'reserved';
      readonly call: number;
      readonly reservation: ReservedCall;
    };

type Granted = { readonly answer: ToGateway; readonly held?: Held };

/** More than the connections of a gateway, each of which may ask for one thing and hold two. */
const HELD_MAX = 1024;

class InvalidMessage extends Error {}

export class OwnerSide {
  readonly listening = Promise.withResolvers<string | null>();
  readonly closed = Promise.withResolvers<ChannelClosed>();
  readonly ready = Promise.withResolvers<void>();
  readonly #ports: () => ChannelPorts | undefined;
  readonly #send: (message: ToGateway) => void;
  readonly #held = new Map<number, Held>();
  #lastNonce = 0;
  #isEnded = false;

  /** `ports` returns undefined until the gateway is assigned to an attempt. */
  constructor(ports: () => ChannelPorts | undefined, send: (message: ToGateway) => void) {
    this.#ports = ports;
    this.#send = send;
  }

  /** The nonce of the last ping that was answered. */
  get lastNonce(): number {
    return this.#lastNonce;
  }

  /** Throws `InvalidMessage` for a message that a genuine gateway never sends. The caller then ends the process. */
  async take({ kind, bytes }: ChannelFrame): Promise<void> {
    if (kind === 'bytes') return this.#requirePorts().onRecord(bytes);
    const parsed = FromGateway.safeParse(parseJson(bytes.toString('utf8')));
    if (!parsed.success) throw new InvalidMessage('it sent an invalid message');
    this.#handle(parsed.data);
  }

  /** The channel has ended. Open reservations may have been spent, so they are charged in full. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const held of this.#held.values()) {
      if (held.kind === 'asked') held.cancel.abort();
      else if (held.kind === 'slot') held.slot[Symbol.dispose]();
      else held.reservation.settle(held.reservation.cost);
    }
    this.#held.clear();
  }

  #handle(message: FromGateway): void {
    switch (message.kind) {
      case 'ready':
        return this.ready.resolve();
      case 'listening':
        return this.listening.resolve(null);
      case 'not-listening':
        return this.listening.resolve(message.message);
      case 'pong':
        this.#lastNonce = message.nonce;
        return;
      case 'fact':
        return this.#requirePorts().onFact(toFact(message.fact));
      case 'tunnel':
        return this.#requirePorts().onTunnel(message.fact);
      case 'ask-turn':
        return this.#ask(message.id, async (signal) => {
          await this.#requirePorts().mayCall(signal);
          return { answer: { kind: 'granted', id: message.id } };
        });
      case 'ask-slot':
        return this.#ask(message.id, async (signal) => {
          const slot = await this.#requirePorts().slots.take(signal);
          const answer = { kind: 'granted', id: message.id } as const;
          return slot === undefined ? { answer } : { answer, held: { kind: 'slot', slot } };
        });
      case 'reserve':
        return this.#reserve(message);
      case 'return-slot':
        return this.#release(message.id, 'slot').slot[Symbol.dispose]();
      case 'settle':
        return this.#release(message.id, 'reserved').reservation.settle(message.cost);
      case 'cancel':
        return this.#cancel(message.id);
      case 'closed': {
        const { recorded, defect } = message;
        return this.closed.resolve({ recorded, defect });
      }
    }
  }

  #reserve({ id, call, estimate }: Extract<FromGateway, { kind: 'reserve' }>): void {
    const isTwice = [...this.#held.values()].some(
      (held) => held.kind === 'reserved' && held.call === call,
    );
    if (isTwice) throw new InvalidMessage(`it reserved twice for call ${call}`);
    this.#ask(id, async (signal) => {
      const answer = await this.#requirePorts().budget.reserve(call, estimate, signal);
      if (answer.kind === 'exhausted') return { answer: { kind: 'spent', id, answer } };
      if (answer.kind === 'called-off') return { answer: { kind: 'granted', id } };
      const { cost, lowered } = answer;
      return {
        answer: { kind: 'reserved', id, answer: { cost, ...(lowered && { lowered }) } },
        held: { kind: 'reserved', call, reservation: answer },
      };
    });
  }

  /** Starts a request that may take long, and stores its result under the request id. */
  #ask(id: number, request: (signal: AbortSignal) => Promise<Granted>): void {
    if (this.#held.has(id)) throw new InvalidMessage(`it used the request id ${id} twice`);
    if (this.#held.size >= HELD_MAX)
      throw new InvalidMessage('it sent too many concurrent requests');
    const cancel = new AbortController();
    const pending: Held = { kind: 'asked', cancel };
    this.#held.set(id, pending);
    const isWanted = (): boolean => this.#held.get(id) === pending;
    const wait = async (): Promise<void> => {
      const { held, answer } = await request(cancel.signal);
      if (!isWanted()) return releaseUnused(held);
      if (held === undefined) this.#held.delete(id);
      else this.#held.set(id, held);
      this.#send(answer);
    };
    wait().catch((error: unknown) => {
      if (!isWanted()) return;
      this.#held.delete(id);
      this.#send({ kind: 'failed', id, message: describeError(error) });
    });
  }

  /** The gateway no longer wants it. The gateway ignores a grant that crosses its `cancel`. */
  #cancel(id: number): void {
    const held = this.#held.get(id);
    this.#held.delete(id);
    releaseUnused(held);
  }

  #release<Kind extends Held['kind']>(id: number, kind: Kind): Extract<Held, { kind: Kind }> {
    const held = this.#held.get(id);
    if (held?.kind !== kind)
      throw new InvalidMessage(`it released a ${kind} that it does not hold`);
    this.#held.delete(id);
    return held as Extract<Held, { kind: Kind }>;
  }

  #requirePorts(): ChannelPorts {
    const ports = this.#ports();
    if (ports === undefined)
      throw new InvalidMessage('it sent a message before it was assigned to an attempt');
    return ports;
  }
}

/** Releases a grant that was never used. */
function releaseUnused(held: Held | undefined): void {
  if (held?.kind === 'asked') held.cancel.abort();
  else if (held?.kind === 'slot') held.slot[Symbol.dispose]();
  else if (held?.kind === 'reserved') held.reservation.settle(null);
}
