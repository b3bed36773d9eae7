export type Call = {
  readonly method: 'GET' | 'POST';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

/** Carries one call to the owner: through a socket, or straight into an app of this process. */
export type Transport = (path: string, call: Call) => Promise<Response>;
