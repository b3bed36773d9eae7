export type PostAnswer =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'late' }
  | { readonly kind: 'unreachable'; readonly message: string };

/** Sends a value once. Nothing of the answer but its status is read, and no redirect is followed. */
export async function postJson(url: string, body: string, msMax: number): Promise<PostAnswer> {
  const signal = AbortSignal.timeout(msMax);
  try {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body, redirect: 'manual', signal } as const;
    const response = await fetch(url, init);
    await response.body?.cancel();
    return { kind: 'answered', status: response.status };
  } catch (error) {
    if (signal.aborted) return { kind: 'late' };
    return { kind: 'unreachable', message: causeOf(error) };
  }
}

/** What `fetch` says itself is only that it failed. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
