/** The terminal of a person, between the command that they typed and the agent in its sandbox. */
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { TakeoverEnd, TakeoverItem, TerminalSize } from '../../protocol/takeover.ts';
import type { AgentTerminal } from '../environments/environment.ts';

/** A command that does not read makes the agent wait, as a terminal does. */
const ITEMS_MAX = 32;
/** How much is kept of what comes before the terminal belongs to the agent: the end of it. */
const EARLY_ITEMS_MAX = 16;

export type TerminalRequest = {
  readonly size: TerminalSize;
  readonly term: string;
};

export class PersonTerminal {
  readonly term: string;
  readonly #gone = new AbortController();
  readonly #items = new BoundedQueue<TakeoverItem>(ITEMS_MAX);
  /** Undefined: the command has ended, so nothing reads how the takeover ended. */
  readonly #ended = Promise.withResolvers<TakeoverEnd | undefined>();
  /** Null: the terminal belongs to the agent. */
  #early: TakeoverItem[] | null = [];
  #size: TerminalSize;
  #agent: AgentTerminal | undefined;
  #how: 'left' | 'lost' = 'lost';

  constructor({ size, term }: TerminalRequest) {
    this.#size = size;
    this.term = term;
  }

  get size(): TerminalSize {
    return this.#size;
  }

  /** Aborts when the person has left, or their command has ended. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** How the person went. It counts only if they are gone. */
  get how(): 'left' | 'lost' {
    return this.#how;
  }

  /** `left`: with the key for it. `lost`: the command has ended, for example because its window was closed. */
  leave(how: 'left' | 'lost'): void {
    if (how === 'lost') this.#ended.resolve(undefined);
    if (this.#gone.signal.aborted) return;
    this.#how = how;
    this.#gone.abort();
    this.#items.close();
  }

  /** From now on, keys go to the agent, and the person sees what it shows. */
  async connect(
    agent: AgentTerminal,
    begun: Extract<TakeoverItem, { kind: 'begun' }>,
  ): Promise<void> {
    this.#agent = agent;
    // The queue is empty, so there is space for all.
    for (const item of [begun, ...(this.#early ?? [])]) this.#items.offer(item);
    this.#early = null;
    await agent.resize(this.#size); // it may have changed since the start
  }

  /** Waits while the command is behind. */
  async show(bytes: Uint8Array): Promise<void> {
    const item = { kind: 'output', data: Buffer.from(bytes).toString('base64') } as const;
    if (this.#early === null) await this.#items.push(item);
    else this.#early = [...this.#early, item].slice(-EARLY_ITEMS_MAX);
  }

  async type(bytes: Uint8Array): Promise<void> {
    await this.#agent?.write(bytes);
  }

  async resize(size: TerminalSize): Promise<void> {
    this.#size = size;
    await this.#agent?.resize(size);
  }

  /** Does not wait for the command, which may never read again. What the program still writes is dropped. */
  end(how: TakeoverEnd): void {
    this.#agent = undefined;
    this.#ended.resolve(how);
    this.#items.close();
  }

  async *items(): AsyncGenerator<TakeoverItem, void> {
    yield* this.#items;
    const ended = await this.#ended.promise;
    if (ended !== undefined) yield ended;
  }
}
