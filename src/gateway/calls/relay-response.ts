import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Instant } from '../../base/clock.ts';
import type { ResponseTee } from './response-tee.ts';
import type { GatewayBounds } from '../call-context.ts';
import type { CallEndKind } from '../gateway-facts.ts';
import { returnedHeaders } from './headers.ts';
import type { BodyStart } from './read-request-body.ts';
import type { AgentReply } from './agent-reply.ts';
import { watchIdle } from './idle-timeout.ts';

export type RelayedResponse = {
  readonly end: CallEndKind;
  readonly bytes: number;
  readonly firstByteAt?: Instant;
};

type Terms = {
  readonly clock: Clock;
  readonly bounds: Pick<GatewayBounds, 'responseBytesMax' | 'silenceMs'>;
  /** Aborting it ends the provider's side. */
  readonly upstreamAbort: AbortController;
  /** Called after each chunk: whether the answer exceeds what was reserved for it. */
  readonly isOver: (tee: ResponseTee) => boolean;
};

/**
 * Streams an answer to the agent, byte for byte, at the pace of the agent's reading. The tee receives each chunk
 * after it was written. If the provider's stream breaks, the agent's stream breaks too, as it would without a
 * gateway. Never rejects.
 */
export async function relayResponse(
  answer: IncomingMessage,
  bodyStart: BodyStart,
  reply: AgentReply,
  tee: ResponseTee,
  { clock, bounds, upstreamAbort: bound, isOver }: Terms,
): Promise<RelayedResponse> {
  const { response } = reply;
  let end: CallEndKind = 'answered';
  let bytes = 0;
  let firstByteAt: Instant | undefined;
  let isReaderSlow = false;
  const done = new AbortController();
  const watch = watchIdle(
    clock,
    bounds.silenceMs,
    () => {
      end = isReaderSlow ? 'disconnected' : 'timed-out';
      bound.abort();
      answer.destroy();
      // A reader that never reads would otherwise hold the reservation of its call for ever.
      response.destroy();
    },
    done.signal,
  );
  reply.begin(answer.statusCode ?? 502, returnedHeaders(answer.headers));
  try {
    for await (const chunk of readChunks(answer, bodyStart)) {
      firstByteAt ??= bodyStart.firstByteAt ?? clock.now();
      bytes += chunk.length;
      if (bytes > bounds.responseBytesMax) {
        end = 'too-large';
        break;
      }
      const flows = response.write(chunk);
      tee.push(chunk);
      watch.activity();
      if (isOver(tee)) {
        end = 'over-budget';
        break;
      }
      isReaderSlow = !flows;
      if (isReaderSlow) await drained(response);
      isReaderSlow = false;
      watch.activity(); // a slow reader is not a silent provider
      if (response.destroyed) break;
    }
  } catch {
    // One of the two sides broke. `response.destroyed` shows which one.
    if (end === 'answered') end = response.destroyed ? 'disconnected' : 'incomplete';
  }
  done.abort();
  if (response.destroyed && end === 'answered' && !response.writableFinished) end = 'disconnected';
  if (end === 'answered') response.end();
  else {
    response.destroy();
    answer.destroy();
  }
  return { end, bytes, ...(firstByteAt !== undefined && { firstByteAt }) };
}

async function* readChunks(
  answer: IncomingMessage,
  { bytes, whole }: BodyStart,
): AsyncGenerator<Buffer, void, undefined> {
  if (bytes.length > 0) yield bytes;
  if (!whole) yield* answer as AsyncIterable<Buffer>;
}

function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go);
      response.off('close', go);
      resolve();
    };
    response.once('drain', go);
    response.once('close', go);
  });
}
