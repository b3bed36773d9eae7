/**
 * Sends a sequence as server-sent events. The client sets the pace: a page is read from the journal only
 * after the previous one was sent, so a slow client costs no memory here.
 */
import type { Context } from 'hono';
import { Refusal, describeError } from '../base/errors.ts';
import { machineFault } from '../base/machine-fault.ts';
import type { Idle } from '../owner/idle.ts';

/** What a stream needs from the owner: a hold, so that the owner is not idle, and the signal that it closes. */
export type FollowedEvents = { readonly idle: Idle; readonly closing: AbortSignal };

export function eventStream(
  context: Context,
  { idle, closing }: FollowedEvents,
  follow: (signal: AbortSignal) => AsyncIterable<unknown>,
): Response {
  const gone = new AbortController();
  context.req.raw.signal.addEventListener('abort', () => gone.abort());
  const release = idle.hold();
  const frames = frame(follow(AbortSignal.any([gone.signal, closing])), closing, release);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await frames.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      gone.abort();
      release(); // the generator does not release if it never started
      await frames.return(undefined);
    },
  });
  return context.body(body, 200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
}

/**
 * Ends with `event: end`, so that a client can tell the end from a lost connection, or with `closing` if the
 * owner ends. An error is sent as `refusal` or `defect`.
 */
async function* frame(
  items: AsyncIterable<unknown>,
  closing: AbortSignal,
  release: () => void,
): AsyncGenerator<string, void> {
  try {
    // A comment first, so that the client knows that it is connected before the first item.
    yield ': following\n\n';
    for await (const item of items) yield `data: ${JSON.stringify(item)}\n\n`;
    yield `event: ${closing.aborted ? 'closing' : 'end'}\ndata: {}\n\n`;
  } catch (error) {
    // The HTTP status was already sent, so the error can only be part of the stream.
    const refusal = error instanceof Refusal ? error : machineFault(error);
    if (refusal !== undefined) yield `event: refusal\ndata: ${JSON.stringify(refusal.data)}\n\n`;
    else yield `event: defect\ndata: ${JSON.stringify(describeError(error))}\n\n`;
  } finally {
    release();
  }
}
