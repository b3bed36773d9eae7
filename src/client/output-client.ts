/** The output of a run's agents, in the forms that people and programs read. */
import { OutputChunk } from '../protocol/api.ts';
import type { OutputRequest } from '../protocol/api.ts';
import { query, runPath } from './api-paths.ts';
import type { OwnerCalls } from './owner-calls.ts';

export class OutputClient {
  readonly #calls: Pick<OwnerCalls, 'follow'>;

  constructor(calls: Pick<OwnerCalls, 'follow'>) {
    this.#calls = calls;
  }

  /** The output as the agents wrote it; with `follow`, until the run ends. */
  raw(
    id: string,
    request: Pick<Partial<OutputRequest>, 'follow' | 'after'>,
    signal?: AbortSignal,
  ): AsyncGenerator<OutputChunk, void> {
    return this.#follow(id, request, signal);
  }

  /** The messages of agents in attempts after this fact, in whole lines, until the run ends. */
  words(id: string, after: number, signal?: AbortSignal): AsyncGenerator<OutputChunk, void> {
    return this.#follow(id, { follow: true, words: true, after }, signal);
  }

  /** Everything that happened in the attempts, as text for people. */
  text(
    id: string,
    { follow }: { readonly follow: boolean },
    signal?: AbortSignal,
  ): AsyncGenerator<OutputChunk, void> {
    return this.#follow(id, { follow, words: true, whole: true }, signal);
  }

  /** The recorded model calls of the run's agents, one line of JSON each. */
  calls(id: string, signal?: AbortSignal): AsyncGenerator<OutputChunk, void> {
    return this.#follow(id, { calls: true }, signal);
  }

  async *#follow(
    id: string,
    request: Partial<OutputRequest>,
    signal?: AbortSignal,
  ): AsyncGenerator<OutputChunk, void> {
    const path = `${runPath(id, 'output')}${query(request)}`;
    for await (const item of this.#calls.follow(path, `supervisor logs ${id} --follow`, signal)) {
      yield OutputChunk.parse(item);
    }
  }
}
