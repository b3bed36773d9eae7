/**
 * The gateway's end of the channel. It requests turns, slots and budget from its owner, through the gateway's own
 * ports.
 */
import type { FromGateway } from '../../protocol/gateway-message.ts';
import type { CallCharge } from '../budget/budget-ledger.ts';
import type { CallBudget } from '../budget/call-budget.ts';
import type { SlotSource } from '../calls/call-slots.ts';
import type { ToGateway } from './messages.ts';

type Answer = Extract<ToGateway, { kind: 'granted' | 'reserved' | 'spent' | 'failed' }>;
type RequestMessage = Extract<FromGateway, { kind: 'ask-turn' | 'ask-slot' | 'reserve' }>;
type RequestBody = RequestMessage extends infer Member
  ? Member extends RequestMessage
    ? Omit<Member, 'id'>
    : never
  : never;

/** `called-off`: the signal aborted first. */
type RequestResult =
  | Exclude<Answer, { kind: 'failed' }>
  | { readonly kind: 'called-off'; readonly id: number };

export class GatewaySide {
  readonly #send: (message: FromGateway) => void;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  constructor(send: (message: FromGateway) => void) {
    this.#send = send;
  }

  /** An answer without a waiting request was crossed by its `cancel`, and is ignored. */
  take(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer);
  }

  readonly mayCall = async (signal: AbortSignal): Promise<void> => {
    await this.body({ kind: 'ask-turn' }, signal);
  };

  readonly slots: SlotSource = {
    take: async (signal) => {
      const { kind, id } = await this.body({ kind: 'ask-slot' }, signal);
      if (kind !== 'granted') return undefined;
      return once(() => this.#send({ kind: 'return-slot', id }));
    },
  };

  readonly budget: CallBudget = {
    reserve: async (call, estimate, signal) => {
      const result = await this.body({ kind: 'reserve', call, estimate }, signal);
      if (result.kind === 'spent') return result.answer;
      if (result.kind !== 'reserved') return { kind: 'called-off' };
      const { id, answer } = result;
      const settle = (cost: CallCharge | null): void => this.#send({ kind: 'settle', id, cost });
      return { kind: 'reserved', ...answer, settle };
    },
  };

  body(ask: RequestBody, signal: AbortSignal): Promise<RequestResult> {
    const id = (this.#lastId += 1);
    if (signal.aborted) return Promise.resolve({ kind: 'called-off', id });
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(id);
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        end();
        this.#send({ kind: 'cancel', id });
        resolve({ kind: 'called-off', id });
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(id, (answer) => {
        end();
        if (answer.kind === 'failed') reject(new Error(answer.message));
        else resolve(answer);
      });
      this.#send({ ...ask, id });
    });
  }
}

function once(act: () => void): Disposable {
  let isDone = false;
  return {
    [Symbol.dispose]: () => {
      if (!isDone) act();
      isDone = true;
    },
  };
}
