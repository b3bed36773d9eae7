/**
 * The owner's end of the channel to one gateway. It keeps what must be shared and durable: the slots of
 * the project, the pause of the run, the budgets. The other end may be taken over by what an agent
 * sends, so it can only ask; whatever it holds when the channel ends is given back or paid for here.
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

export type TunnelObserved = { readonly kind: string; readonly target: string };

/** What the owner does for one gateway. */
export type ChannelPorts = {
  readonly budget: CallBudget;
  readonly slots: SlotSource;
  /** Resolves when calls may go out, or when the signal aborts. */
  readonly mayCall: (signal: AbortSignal) => Promise<void>;
  readonly onFact: (fact: GatewayFact) => void;
  readonly onTunnel: (fact: TunnelObserved) => void;
  /** Keeps bytes of the recording. While it does not resolve, nothing more is read. */
  readonly onRecord: (bytes: Uint8Array) => Promise<void>;
};

export type ChannelClosed = Omit<Extract<FromGateway, { kind: 'closed' }>, 'kind'>;

type Held =
  | { readonly kind: 'asked'; readonly off: AbortController }
  | { readonly kind: 'slot'; readonly slot: Disposable }
  | {
      readonly kind: 'reserved';
      readonly call: number;
      readonly reservation: ReservedCall;
    };

type Got = { readonly answer: ToGateway; readonly held?: Held };

/** More than a gateway has connections, each of which may ask for one thing and hold two. */
const HELD_MAX = 1024;

export class InvalidMessage extends Error {}

export class OwnerSide {
  readonly listening = Promise.withResolvers<string | null>();
  readonly closed = Promise.withResolvers<ChannelClosed>();
  readonly ready = Promise.withResolvers<void>();
  readonly #ports: () => ChannelPorts | undefined;
  readonly #send: (message: ToGateway) => void;
  readonly #held = new Map<number, Held>();
  #lastNonce = 0;
  #isOver = false;

  /** `ports` are not there until the gateway has been given to an attempt. */
  constructor(ports: () => ChannelPorts | undefined, send: (message: ToGateway) => void) {
    this.#ports = ports;
    this.#send = send;
  }

  /** The last ping that was answered. */
  get lastNonce(): number {
    return this.#lastNonce;
  }

  /** Throws `BadMessage` at what a gateway of ours never says: the caller ends it. */
  async take({ kind, bytes }: ChannelFrame): Promise<void> {
    if (kind === 'bytes') return this.#own().onRecord(bytes);
    const parsed = FromGateway.safeParse(parseJson(bytes.toString('utf8')));
    if (!parsed.success) throw new InvalidMessage('it sent a message that has no meaning');
    this.#hear(parsed.data);
  }

  /** The channel is gone. What it had reserved may have been spent, so it is paid for in full. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const held of this.#held.values()) {
      if (held.kind === 'asked') held.off.abort();
      else if (held.kind === 'slot') held.slot[Symbol.dispose]();
      else held.reservation.settle(held.reservation.cost);
    }
    this.#held.clear();
  }

  #hear(message: FromGateway): void {
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
        return this.#own().onFact(toFact(message.fact));
      case 'tunnel':
        return this.#own().onTunnel(message.fact);
      case 'ask-turn':
        return this.#ask(message.id, async (signal) => {
          await this.#own().mayCall(signal);
          return { answer: { kind: 'granted', id: message.id } };
        });
      case 'ask-slot':
        return this.#ask(message.id, async (signal) => {
          const slot = await this.#own().slots.take(signal);
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

  #reserve({ id, call, wish }: Extract<FromGateway, { kind: 'reserve' }>): void {
    const isTwice = [...this.#held.values()].some(
      (held) => held.kind === 'reserved' && held.call === call,
    );
    if (isTwice) throw new InvalidMessage(`it reserved twice for call ${call}`);
    this.#ask(id, async (signal) => {
      const answer = await this.#own().budget.reserve(call, wish, signal);
      if (answer.kind === 'exhausted') return { answer: { kind: 'spent', id, answer } };
      if (answer.kind === 'called-off') return { answer: { kind: 'granted', id } };
      const { cost, lowered } = answer;
      return {
        answer: { kind: 'reserved', id, answer: { cost, ...(lowered && { lowered }) } },
        held: { kind: 'reserved', call, reservation: answer },
      };
    });
  }

  /** Asks for something that may take long, and holds what comes of it under the number of the ask. */
  #ask(id: number, get: (signal: AbortSignal) => Promise<Got>): void {
    if (this.#held.has(id)) throw new InvalidMessage(`it used the number ${id} twice`);
    if (this.#held.size >= HELD_MAX) throw new InvalidMessage('it asked for too much at once');
    const off = new AbortController();
    const asked: Held = { kind: 'asked', off };
    this.#held.set(id, asked);
    const isWanted = (): boolean => this.#held.get(id) === asked;
    const wait = async (): Promise<void> => {
      const { held, answer } = await get(off.signal);
      if (!isWanted()) return giveBack(held);
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

  /** The gateway wants it no more. A grant that crosses this word is ignored by it. */
  #cancel(id: number): void {
    const held = this.#held.get(id);
    this.#held.delete(id);
    giveBack(held);
  }

  #release<Kind extends Held['kind']>(id: number, kind: Kind): Extract<Held, { kind: Kind }> {
    const held = this.#held.get(id);
    if (held?.kind !== kind)
      throw new InvalidMessage(`it gave back a ${kind} that it does not hold`);
    this.#held.delete(id);
    return held as Extract<Held, { kind: Kind }>;
  }

  #own(): ChannelPorts {
    const ports = this.#ports();
    if (ports === undefined) throw new InvalidMessage('it spoke before it was given to an attempt');
    return ports;
  }
}

/** What was never used. */
function giveBack(held: Held | undefined): void {
  if (held?.kind === 'asked') held.off.abort();
  else if (held?.kind === 'slot') held.slot[Symbol.dispose]();
  else if (held?.kind === 'reserved') held.reservation.settle(null);
}
