import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { watchIdle } from '../calls/idle-timeout.ts';

export type JoinEnd = 'done' | 'too-large' | 'silent' | 'called-off';

export type Joined = {
  readonly end: JoinEnd;
  readonly bytesOut: number;
  readonly bytesIn: number;
};

type Terms = {
  readonly clock: Clock;
  /** Both directions together. */
  readonly bytesMax: number;
  readonly silenceMs: number;
};

/**
 * Carries bytes in both directions until both sides are done, one side breaks, or a bound is reached. Never rejects.
 */
export function joinStreams(
  near: Duplex,
  far: Duplex,
  { clock, bytesMax, silenceMs }: Terms,
  signal: AbortSignal,
): Promise<Joined> {
  return new Promise((resolve) => {
    const bytes = { bytesOut: 0, bytesIn: 0 };
    const done = new AbortController();
    let end: JoinEnd = 'done';
    const stop = (why: JoinEnd): void => {
      if (done.signal.aborted) return;
      end = why;
      done.abort();
      near.destroy();
      far.destroy();
      resolve({ end, ...bytes });
    };
    const watch = watchIdle(clock, silenceMs, () => stop('silent'), done.signal);
    const carry = (from: Duplex, to: Duplex, count: keyof typeof bytes): void => {
      from.on('data', (chunk: Buffer) => {
        watch.activity();
        bytes[count] += chunk.length;
        if (bytes.bytesOut + bytes.bytesIn > bytesMax) return stop('too-large');
        if (!to.write(chunk)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
      from.on('end', () => to.end());
      from.on('error', () => stop('done')); // if one side breaks, the tunnel ends
      from.on('close', () => {
        if (near.destroyed && far.destroyed) stop('done');
        else if (!from.readableEnded) stop('done');
      });
    };
    signal.addEventListener('abort', () => stop('called-off'), { once: true, signal: done.signal });
    if (signal.aborted) return stop('called-off');
    carry(near, far, 'bytesOut');
    carry(far, near, 'bytesIn');
    if (near.destroyed || far.destroyed) stop('done'); // closed before the listeners were added
  });
}
