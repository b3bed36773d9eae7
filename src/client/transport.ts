import { randomUUID } from 'node:crypto';
import { defined } from '../base/defined.ts';

export type TransportCall = {
  readonly method: 'GET' | 'POST';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** For a command: if it is sent twice with the same key, it takes effect once. */
  readonly key?: string;
};

/** What a client uses of a `Response`. A real one loads undici, which takes a command 60 ms. */
export type OwnerAnswer = Pick<Response, 'ok' | 'status' | 'text'> & {
  readonly body: AsyncIterable<Uint8Array> | null;
};

/** Sends one call to the owner: through a socket, or directly to an app in this process. */
export type Transport = (path: string, call: TransportCall) => Promise<OwnerAnswer>;

/** An answer that has arrived whole. */
export function wholeAnswer(text: string, status: number): OwnerAnswer {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  return { ok: isOk(status), status, body: chunks(), text: async () => text };
}

export function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A call that changes something. If the caller gives no key, it gets a random one. */
export function commandCall(key = randomUUID() as string, body?: unknown): TransportCall {
  return { method: 'POST', key, ...defined({ body }) };
}
