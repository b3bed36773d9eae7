import { randomUUID } from 'node:crypto';
import { defined } from '../base/defined.ts';

export type TransportCall = {
  readonly method: 'GET' | 'POST';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** For a command: if it is sent twice with the same key, it takes effect once. */
  readonly key?: string;
};

/** Sends one call to the owner: through a socket, or directly to an app in this process. */
export type Transport = (path: string, call: TransportCall) => Promise<Response>;

/** A call that changes something. If the caller gives no key, it gets a random one. */
export function commandCall(key = randomUUID() as string, body?: unknown): TransportCall {
  return { method: 'POST', key, ...defined({ body }) };
}
