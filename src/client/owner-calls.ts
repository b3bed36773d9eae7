/**
 * Calls to the owner, over any transport. An answer that is an error becomes a refusal, and a stream that breaks off
 * says how the user continues.
 */
import { defined } from '../base/defined.ts';
import { Refusal } from '../base/errors.ts';
import type { RefusalData } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { ErrorBody } from '../protocol/api.ts';
import { readSseFrames } from './sse-reader.ts';
import type { OwnerAnswer, Transport, TransportCall } from './transport.ts';

export class OwnerCalls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async json(path: string, call: TransportCall): Promise<unknown> {
    const response = await this.#transport(path, call);
    try {
      if (!response.ok) throw await toError(response);
      return JSON.parse(await response.text());
    } catch (error) {
      if (!isCut(error) || call.signal?.aborted === true) throw error;
      throw new Refusal({
        code: 'owner.unreachable',
        message: 'The owner died before it had answered.',
        hint: 'Run the command again. It starts a new owner.',
      });
    }
  }

  /** `again` is the command with which a user continues if the owner is gone. */
  follow(path: string, again: string, signal?: AbortSignal): AsyncGenerator<unknown, void> {
    return this.stream(path, { method: 'GET', ...defined({ signal }) }, again);
  }

  async *stream(path: string, call: TransportCall, again: string): AsyncGenerator<unknown, void> {
    const { signal } = call;
    const response = await this.#transport(path, call);
    if (!response.ok || response.body === null) throw await toError(response);
    try {
      for await (const { event, data } of readSseFrames(response.body)) {
        if (event === 'end') return;
        if (event === 'closing') throw ownerGone('owner.closing', again);
        if (event === 'defect') throw new Error(`the owner failed: ${data}`);
        if (event === 'refusal') throw new Refusal(JSON.parse(data) as RefusalData);
        yield JSON.parse(data);
      }
    } catch (error) {
      // A connection that is cut in the middle of a frame counts like one that just ends.
      if (!isCut(error)) throw error;
    }
    if (signal?.aborted === true) return;
    throw ownerGone('owner.unreachable', again);
  }
}

function ownerGone(code: 'owner.closing' | 'owner.unreachable', again: string): Refusal {
  const how = code === 'owner.closing' ? 'was stopped' : 'died';
  return new Refusal({
    code,
    message: `The owner ${how}. The next owner resumes its runs.`,
    hint: `Continue with: ${again}`,
  });
}

async function toError(response: OwnerAnswer): Promise<Error> {
  const text = await response.text();
  const parsed = ErrorBody.safeParse(parseJson(text));
  if (parsed.success) return new Refusal(parsed.data.error);
  return new Error(`the owner answered ${response.status}: ${text.slice(0, 500)}`);
}

function isCut(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'AbortError' || ('code' in error && error.code === 'ECONNRESET');
}
