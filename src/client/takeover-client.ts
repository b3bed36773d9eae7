/** A person's terminal at the agent of a run. */
import type { TakeoverInput, TakeoverQuery } from '../protocol/takeover.ts';
import { TakeoverItem } from '../protocol/takeover.ts';
import { query, runPath } from './api-paths.ts';
import type { OwnerCalls } from './owner-calls.ts';

export class TakeoverClient {
  readonly #calls: Pick<OwnerCalls, 'follow' | 'json'>;

  constructor(calls: Pick<OwnerCalls, 'follow' | 'json'>) {
    this.#calls = calls;
  }

  /** Takes the agent over. The takeover ends when the caller stops reading, or `signal` aborts. */
  async *take(
    id: string,
    request: TakeoverQuery,
    signal?: AbortSignal,
  ): AsyncGenerator<TakeoverItem, void> {
    const path = `${runPath(id, 'takeover')}${query(request)}`;
    for await (const item of this.#calls.follow(path, `supervisor takeover ${id}`, signal))
      yield TakeoverItem.parse(item);
  }

  async type(id: string, input: TakeoverInput): Promise<void> {
    await this.#calls.json(runPath(id, 'takeover'), { method: 'POST', body: input });
  }
}
