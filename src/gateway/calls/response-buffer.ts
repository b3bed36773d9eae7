/**
 * Holds back the first moments of an answer. If the answer breaks off meanwhile, the call can be retried, because the
 * agent has seen no part of it. An answer that ends sooner is released at once, and a longer answer ends no later
 * than without the buffer.
 */
import type { IncomingMessage } from 'node:http';
import type { Clock, Instant } from '../../base/clock.ts';
import { ResponseTee } from './response-tee.ts';
import type { BodyStart } from './read-request-body.ts';
import type { ModelAnswer, WireReader } from '../wires/wire.ts';

const HOLD_MS = 300;
const HOLD_BYTES_MAX = 1_000_000;

export type BufferedResponse = BodyStart & { readonly broke: boolean };

/** Never rejects. */
export function bufferResponse(
  answer: IncomingMessage,
  clock: Clock,
  bytesMax = HOLD_BYTES_MAX,
): Promise<BufferedResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let firstByteAt: Instant | undefined;
  const done = new AbortController();
  answer.on('error', () => undefined); // a later reader sees the error itself
  return new Promise((resolve) => {
    const settle = (how: 'whole' | 'broke' | 'enough'): void => {
      answer.off('data', take).off('end', whole).off('close', broke).pause();
      done.abort();
      resolve({
        bytes: Buffer.concat(chunks),
        whole: how === 'whole',
        broke: how === 'broke',
        ...(firstByteAt !== undefined && { firstByteAt }),
      });
    };
    const take = (chunk: Buffer): void => {
      firstByteAt ??= clock.now();
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= Math.min(bytesMax, HOLD_BYTES_MAX)) settle('enough');
    };
    const whole = (): void => settle('whole');
    const broke = (): void => settle('broke');
    answer.on('data', take).once('end', whole).once('close', broke);
    if (answer.destroyed) broke();
    void clock.sleep(HOLD_MS, done.signal).then((slept) => slept && settle('enough'));
  });
}

/** Parses a complete answer. */
export function readWholeBody(
  wire: WireReader,
  { headers }: IncomingMessage,
  bytes: Buffer,
): Promise<ModelAnswer> {
  const tee = new ResponseTee(wire, headers);
  tee.push(bytes);
  return tee.end();
}

/** A good status with nothing in the answer that an agent could use. */
export function isEmptyResponse({ error, stop, text, calls, usage }: ModelAnswer): boolean {
  return error === null && stop === null && text === '' && calls.length === 0 && usage === null;
}
