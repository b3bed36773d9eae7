/** The gateway's end of the channel: what it has to ask its owner for, in the shape of its own ports. */
import type { FromGateway } from '../../protocol/gateway-message.ts';
import type { CallCharge } from '../budget/budget-ledger.ts';
import type { CallBudget } from '../budget/call-budget.ts';
import type { SlotSource } from '../calls/call-slots.ts';
import type { ToGateway } from './messages.ts';

type Answer = Extract<ToGateway, { kind: 'granted' | 'reserved' | 'spent' | 'failed' }>;
type Asked = Extract<FromGateway, { kind: 'ask-turn' | 'ask-slot' | 'reserve' }>;
type Ask = Asked extends infer One ? (One extends Asked ? Omit<One, 'id'> : never) : never;

/** `called-off`: the signal aborted first. */
type Told =
  | Exclude<Answer, { kind: 'failed' }>
  | { readonly kind: 'called-off'; readonly id: number };

export class GatewaySide {
  readonly #send: (message: FromGateway) => void;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  constructor(send: (message: FromGateway) => void) {
    this.#send = send;
  }

  /** An answer to something that is no longer waited for was crossed by a `cancel`, and means nothing. */
  take(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer);
  }

  readonly mayCall = async (signal: AbortSignal): Promise<void> => {
    await this.#ask({ kind: 'ask-turn' }, signal);
  };

  readonly slots: SlotSource = {
    take: async (signal) => {
      const { kind, id } = await this.#ask({ kind: 'ask-slot' }, signal);
      if (kind !== 'granted') return undefined;
      return once(() => this.#send({ kind: 'return-slot', id }));
    },
  };

  readonly budget: CallBudget = {
    reserve: async (call, wish, signal) => {
      const told = await this.#ask({ kind: 'reserve', call, wish }, signal);
      if (told.kind === 'spent') return told.answer;
      if (told.kind !== 'reserved') return { kind: 'called-off' };
      const { id, answer } = told;
      const settle = (cost: CallCharge | null): void => this.#send({ kind: 'settle', id, cost });
      return { kind: 'reserved', ...answer, settle };
    },
  };

  #ask(ask: Ask, signal: AbortSignal): Promise<Told> {
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
