export type PostAnswer =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'late' }
  | { readonly kind: 'unreachable'; readonly message: string };

/** Sends a value once. Only the status of the answer is read, and no redirect is followed. */
export async function postJson(
  url: string,
  body: string,
  msMax: number,
  more: Readonly<Record<string, string>> = {},
): Promise<PostAnswer> {
  const signal = AbortSignal.timeout(msMax);
  try {
    const headers = { 'content-type': 'application/json', ...more };
    const init = { method: 'POST', headers, body, redirect: 'manual', signal } as const;
    const response = await fetch(url, init);
    await response.body?.cancel();
    return { kind: 'answered', status: response.status };
  } catch (error) {
    if (signal.aborted) return { kind: 'late' };
    return { kind: 'unreachable', message: describeCause(error) };
  }
}

/** The message of `fetch` itself only says that it failed. */
function describeCause(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
