import { randomUUID } from 'node:crypto';

export type Call = {
  readonly method: 'GET' | 'POST';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** For a command: sent twice with the same key, it is carried out once. */
  readonly key?: string;
};

/** Carries one call to the owner: through a socket, or straight into an app of this process. */
export type Transport = (path: string, call: Call) => Promise<Response>;

/** A call that changes something. Without a key of the caller's it gets one of its own. */
export function command(key = randomUUID() as string, body?: unknown): Call {
  return { method: 'POST', key, ...(body === undefined ? {} : { body }) };
}
