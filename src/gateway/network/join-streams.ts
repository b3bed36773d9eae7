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
  /** Both ways together. */
  readonly bytesMax: number;
  readonly silenceMs: number;
};

/** Carries bytes both ways until both sides are done, one breaks, or a bound is reached. Never rejects. */
export function joinStreams(
  near: Duplex,
  far: Duplex,
  { clock, bytesMax, silenceMs }: Terms,
  signal: AbortSignal,
): Promise<Joined> {
  return new Promise((resolve) => {
    const bytes = { bytesOut: 0, bytesIn: 0 };
    const over = new AbortController();
    let end: JoinEnd = 'done';
    const stop = (why: JoinEnd): void => {
      if (over.signal.aborted) return;
      end = why;
      over.abort();
      near.destroy();
      far.destroy();
      resolve({ end, ...bytes });
    };
    const watch = watchIdle(clock, silenceMs, () => stop('silent'), over.signal);
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
      from.on('error', () => stop('done')); // a side that breaks ends the tunnel, as a cable would
      from.on('close', () => {
        if (near.destroyed && far.destroyed) stop('done');
        else if (!from.readableEnded) stop('done');
      });
    };
    signal.addEventListener('abort', () => stop('called-off'), { once: true, signal: over.signal });
    if (signal.aborted) return stop('called-off');
    carry(near, far, 'bytesOut');
    carry(far, near, 'bytesIn');
    if (near.destroyed || far.destroyed) stop('done'); // gone before we listened
  });
}
