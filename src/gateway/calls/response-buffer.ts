/**
 * The first moments of an answer, kept from the agent: one that breaks off meanwhile can be asked for
 * again, and nobody has seen half of it. An answer that ends sooner is not held for longer, and one
 * that takes longer ends no later than it would have.
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
  const over = new AbortController();
  answer.on('error', () => undefined); // whoever reads on finds it broken
  return new Promise((resolve) => {
    const settle = (how: 'whole' | 'broke' | 'enough'): void => {
      answer.off('data', take).off('end', whole).off('close', broke).pause();
      over.abort();
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
    void clock.sleep(HOLD_MS, over.signal).then((slept) => slept && settle('enough'));
  });
}

/** What a whole answer says. */
export function readWholeBody(
  wire: WireReader,
  { headers }: IncomingMessage,
  bytes: Buffer,
): Promise<ModelAnswer> {
  const tee = new ResponseTee(wire, headers);
  tee.push(bytes);
  return tee.end();
}

/** A good status, and then nothing that anybody could work with. */
export function isEmptyResponse({ error, stop, text, calls, usage }: ModelAnswer): boolean {
  return error === null && stop === null && text === '' && calls.length === 0 && usage === null;
}
