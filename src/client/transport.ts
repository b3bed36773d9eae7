import { randomUUID } from 'node:crypto';
import { defined } from '../base/defined.ts';

export type TransportCall = {
  readonly method: 'GET' | 'POST';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** For a command: sent twice with the same key, it is carried out once. */
  readonly key?: string;
};

/** Carries one call to the owner: through a socket, or straight into an app of this process. */
export type Transport = (path: string, call: TransportCall) => Promise<Response>;

/** A call that changes something. Without a key of the caller's it gets one of its own. */
export function commandCall(key = randomUUID() as string, body?: unknown): TransportCall {
  return { method: 'POST', key, ...defined({ body }) };
}
